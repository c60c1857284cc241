import { freePort } from '../../playground/n8n/checks';
import { hintsOf, itemsOf, outputOf } from '../../playground/n8n/execution';
import { samples } from '../../playground/shopify/samples';
import * as shared from './support/versionTests';
import { dropoff, packages, pickup, shopifyFields } from './support/sampleDelivery';
import { nodes, type ActionWorkflow } from './support/workflows';
import { credentialType } from './support/installation';

const installation = shared.testVersion('newest');

const fromJson = { resource: 'delivery', operation: 'create', source: 'json' };
const delivery = (referenceId: string) => ({ pickup, dropoff, packages, referenceId });
const withoutEmail = {
	...delivery('E-3'),
	dropoff: { ...dropoff, contact: { name: 'Ana Torres' } },
};

/** Matches text that contains the given text. */
const contains = (text: string): unknown => expect.stringContaining(text);

/** Runs a workflow and returns the error that stops it, as the user sees it. */
async function runToError(setup: ActionWorkflow) {
	const { execution } = await shared.runAction(installation(), setup);
	const { message, description } = execution.data.resultData.error ?? {};
	return { status: execution.status, message, description };
}

describe('errors that stop the workflow', () => {
	test('names the item and the invalid field, and sends nothing', async () => {
		const items = [delivery('E-1'), delivery('E-2'), withoutEmail];
		expect(await runToError({ items, parameters: fromJson })).toEqual({
			status: 'error',
			message: 'Recipient email is missing (reference ID E-3) [item 2]',
			description: 'Nothing was sent for this item. No delivery was created.',
		});
		expect(installation().service.control.requests()).toEqual([]);
	});

	test('lists the created deliveries when the service rejects one of several', async () => {
		const { control } = installation().service;
		control.addFault({ kind: 'rejectReference', referenceIds: ['E-2'] });
		const items = ['E-1', 'E-2', 'E-3'].map(delivery);
		const error = await runToError({
			items,
			parameters: { ...fromJson, options: { batchSize: 1 } },
		});
		const [created] = control.deliveries();
		expect(error).toEqual({
			status: 'error',
			message:
				'The Delivery Service rejected the request (status 422) (1 of 3 deliveries created, 1 not sent) [item 1]',
			description: `The service says: Delivery rejected: E-2 (REJECTED). Created: E-1 (ID ${created?.record.id}). Rejected: E-2. Not sent: E-3. Exclude the created and possibly created deliveries before you run this again, or they may be created twice.`,
		});
		expect(control.deliveries()).toHaveLength(1);
	});

	test('reports an unknown outcome when the connection fails before the response', async () => {
		installation().service.control.addFault({ kind: 'resetAfter', path: '/v1/deliveries' });
		const error = await runToError({ items: [delivery('E-1')], parameters: fromJson });
		const { host } = new URL(installation().service.credential.baseUrl);
		expect(error).toEqual({
			status: 'error',
			message: `It is unknown whether E-1 was created: the connection to the Delivery Service at ${host} failed [item 0]`,
			description: contains('Look for it in the Delivery Service before you send it again.'),
		});
		expect(installation().service.control.deliveries()).toHaveLength(1);
	});

	test('names a wrong API key and an unreachable base URL', async () => {
		const { client, service } = installation();
		const withCredential = async (changes: object) => {
			const data = { ...service.credential, ...changes };
			const id = await client.createCredential('Another', credentialType, data);
			return { [credentialType]: { id, name: 'Another' } };
		};
		const parameters = { resource: 'webhook', operation: 'getAll', returnAll: true };
		const wrongKey = await withCredential({ apiSecret: 'wrong' });
		expect(await runToError({ parameters, credentials: wrongKey })).toEqual({
			status: 'error',
			message: 'The Delivery Service rejected the API key [item 0]',
			description:
				'Check API Key ID and API Secret in the credential. If the key was changed on the Delivery Service, enter the new one. The service says: Credentials missing or invalid (UNAUTHORIZED)',
		});
		const port = await freePort();
		const nowhere = await withCredential({ baseUrl: `http://127.0.0.1:${port}` });
		expect(await runToError({ parameters, credentials: nowhere })).toEqual({
			status: 'error',
			message: `Could not connect to the Delivery Service at 127.0.0.1:${port} [item 0]`,
			description:
				'Check the Base URL in the credential and whether this n8n instance can reach it, then try again.',
		});
	});

	test('names the missing delivery of an update', async () => {
		const parameters = {
			...{ resource: 'delivery', operation: 'update', findBy: 'referenceIds' },
			...{ changesFrom: 'defineBelow', referenceIds: 'none', changes: { name: 'Bo Lind' } },
		};
		expect(await runToError({ parameters })).toEqual({
			status: 'error',
			message:
				'none was not updated: the Delivery Service could not find the requested resource (status 404) [item 0]',
			description: contains('Unknown deliveries: none'),
		});
	});

	test('reports that the webhook to delete does not exist', async () => {
		const parameters = {
			...{ resource: 'webhook', operation: 'delete', selectBy: 'urlAndEvent' },
			...{ url: 'https://shop.example/none', event: 'updateTask' },
		};
		expect(await runToError({ parameters })).toEqual({
			status: 'error',
			message: 'Webhook not found [item 0]',
			description:
				'It may already be deleted. Choose one from the list, or check URL, event and company. The service says: No subscription of https://shop.example/none to event 3 (NOT_FOUND)',
		});
	});
});

describe('On Error: Continue', () => {
	const items = [delivery('C-1'), withoutEmail, delivery('C-2')];

	beforeEach(() => {
		installation().service.control.addFault({ kind: 'rejectReference', referenceIds: ['C-2'] });
	});

	test('returns failed items on the error output, with the reason and the input', async () => {
		const { execution } = await shared.runAction(installation(), {
			items,
			parameters: fromJson,
			onError: 'continueErrorOutput',
		});
		expect(execution.status).toBe('success');
		expect(outputOf(execution, nodes.done)).toMatchObject([
			{ referenceId: 'C-1', statusDelivery: 'processing' },
		]);
		expect(outputOf(execution, nodes.failed)).toEqual([
			{
				...withoutEmail,
				error: {
					message: 'Recipient email is missing [item 1]',
					description: 'Nothing was sent for this item.',
					outcome: 'invalid',
					referenceId: 'E-3',
				},
				message: 'Recipient email is missing. Nothing was sent for this item.',
			},
			{
				...delivery('C-2'),
				error: {
					message: 'The Delivery Service rejected the request (status 422) [item 2]',
					description: 'The service says: Delivery rejected: C-2 (REJECTED)',
					outcome: 'rejected',
					referenceId: 'C-2',
				},
				message:
					'The Delivery Service rejected the request (status 422). The service says: Delivery rejected: C-2 (REJECTED)',
			},
		]);
	});

	test('returns one item per input item on a single output, in order', async () => {
		const { execution, output } = await shared.runAction(installation(), {
			items,
			parameters: fromJson,
			onError: 'continueRegularOutput',
		});
		expect(execution.status).toBe('success');
		expect(output).toMatchObject([
			{ referenceId: 'C-1', outcome: 'created', statusDelivery: 'processing' },
			{ referenceId: 'E-3', outcome: 'invalid', message: contains('Recipient email is missing') },
			{ referenceId: 'C-2', outcome: 'rejected' },
		]);
		expect(new Set(output.map((json) => Object.keys(json).join())).size).toBe(1);
		expect(itemsOf(execution, nodes.action).map(({ pairedItem }) => pairedItem)).toEqual([
			...[{ item: 0 }, { item: 1 }, { item: 2 }],
		]);
		expect(hintsOf(execution, nodes.action)).toEqual([
			'Created 1 delivery.',
			'2 of 3 were not created: E-3, C-2. The field "message" says why.',
		]);
	});
});

describe('repeated runs', () => {
	const parameters = {
		resource: 'delivery',
		...shopifyFields,
		options: { batchSize: 2 },
	};
	const createdReferences = () =>
		installation()
			.service.control.deliveries()
			.map(({ record }) => record.referenceId);

	test('says what to do with deliveries that shared a rejected request', async () => {
		const { control } = installation().service;
		control.addFault({ kind: 'rejectReference', referenceIds: ['#1002'] });
		const orders = samples.slice(0, 4);
		const { execution } = await shared.runAction(installation(), { items: orders, parameters });
		expect(execution.data.resultData.error).toMatchObject({
			message:
				'It is unknown whether #1001 was created: the Delivery Service rejected the request for it and another one (status 422) (0 of 4 deliveries created, 2 not sent) [item 0]',
			description: contains('"Allow Resending"'),
		});
		expect(execution.data.resultData.error?.description).toContain(
			'For later runs, set the option Batch Size to 1, so that a rejection affects only one delivery. The service says: Delivery rejected: #1002 (REJECTED). Possibly created (2): #1001, #1002. Not sent (2): #1003, #1004.',
		);
		expect(createdReferences()).toEqual([]);
	});

	test('creates nothing on a second run, even after a restart of n8n', async () => {
		const { control } = installation().service;
		control.addFault({ kind: 'resetAfter', path: '/v1/deliveries', skip: 1 });
		const orders = samples.slice(0, 4);
		const first = await shared.runAction(installation(), {
			items: orders,
			parameters,
			onError: 'continueRegularOutput',
		});
		expect(createdReferences()).toEqual(['#1001', '#1002', '#1003', '#1004']);
		const outcomes = [
			{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1001' },
			{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1002' },
			{ outcome: 'unknown', referenceId: '#1003' },
			{ outcome: 'unknown', referenceId: '#1004' },
		];
		expect((await shared.runWorkflow(installation(), first.workflowId)).output).toMatchObject(
			outcomes,
		);

		await installation().restartN8n();
		const { output } = await shared.runWorkflow(installation(), first.workflowId);
		expect(output).toMatchObject(outcomes);
		expect(output[2]).toMatchObject({ message: contains('"Allow Resending"') });
		expect(createdReferences()).toEqual(['#1001', '#1002', '#1003', '#1004']);
	});
});
