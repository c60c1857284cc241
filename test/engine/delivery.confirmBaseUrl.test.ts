/** The operation Delivery: Confirm New Base URL, and the runs that ask for it. */
import type { INodeParameters } from 'n8n-workflow';

import type { NodeRun, RunNodeOptions } from '../support/engine/engine';
import { createOnce, jsonOf, outcomesOf, restart, setUp } from '../support/actionNode';
import { deliveries, delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restart);

/** The credential with another Base URL, which leads to the same local service. */
function credentialAt(change: (baseUrl: string) => string) {
	return { ...service.credential, baseUrl: change(service.credential.baseUrl) };
}

const movedCredential = () => credentialAt((url) => url.replace('127.0.0.1', 'localhost'));

const hostOf = ({ baseUrl }: { baseUrl: string }) => new URL(baseUrl).host;

async function create(
	count: number,
	more: Partial<RunNodeOptions> = {},
	options: INodeParameters = {},
): Promise<NodeRun> {
	return await service.run(createOnce(options), { items: deliveries(count), ...more });
}

async function confirm(
	parameters: INodeParameters,
	more: Partial<RunNodeOptions> = {},
): Promise<NodeRun> {
	return await service.run(
		{ resource: 'delivery', operation: 'confirmBaseUrl', ...parameters },
		{ credential: movedCredential(), ...more },
	);
}

const keep = () => ({ sentBefore: 'keep', oldBaseUrl: service.credential.baseUrl });

const expectedQuestion = () => ({
	message: `This workflow has sent deliveries of company 1001 to ${hostOf(service.credential)}, but none to ${hostOf(movedCredential())} yet`,
	description:
		'Nothing was sent, because the same orders could be delivered twice. Run the operation "Confirm New Base URL" once in this workflow. There, choose whether the service has moved (sent orders stay sent) or this is another system (they are sent again).',
});

describe('a run at a new Base URL', () => {
	test('stops before anything is sent and names the old Base URL', async () => {
		await create(2);
		for (let run = 0; run < 2; run++) {
			const { error } = await create(3, { credential: movedCredential() });
			expect(error).toMatchObject(expectedQuestion());
		}
		expect(service.existing()).toEqual(['R0', 'R1']);
		expect(outcomesOf((await create(3)).items)).toEqual([
			...['alreadyCreated', 'alreadyCreated', 'created'],
		]);
	});

	test('stops after a redirect at the old Base URL, which may have created a delivery', async () => {
		service.control.addFault({
			kind: 'status',
			status: 302,
			headers: { Location: `${movedCredential().baseUrl}/v1/deliveries` },
		});
		await create(1);
		const { error } = await create(1, { credential: movedCredential() });
		expect(error).toMatchObject(expectedQuestion());
	});

	test('returns error items with On Error: Continue', async () => {
		await create(2);
		const { items } = await create(2, {
			credential: movedCredential(),
			onError: 'continueRegularOutput',
		});
		expect(outcomesOf(items)).toEqual(['notSent', 'notSent']);
		expect(service.existing()).toHaveLength(2);
	});

	test('stops as a dry run', async () => {
		await create(1);
		const { error } = await create(1, { credential: movedCredential() }, { dryRun: true });
		expect(error).toMatchObject(expectedQuestion());
	});

	test.each<[string, (url: string) => string]>([
		['a slash at its end', (url) => `${url}/`],
		['capital letters', (url) => url.replace('http', 'HTTP')],
	])('skips what was sent when only %s was added', async (_change, change) => {
		await create(1);
		const { items } = await create(1, { credential: credentialAt(change) });
		expect(outcomesOf(items)).toEqual(['alreadyCreated']);
	});

	test('skips what was sent when only the API key was changed', async () => {
		await create(1);
		const credential = { ...service.credential, apiKeyId: 'rotated' };
		expect(outcomesOf((await create(1, { credential })).items)).toEqual(['alreadyCreated']);
	});

	test('stops at another path', async () => {
		await create(1);
		const { error } = await create(1, { credential: credentialAt((url) => `${url}/api`) });
		expect(error?.message).toMatch(/but none to 127\.0\.0\.1:\d+\/api yet$/);
	});

	test('sends when nothing was created at the old one', async () => {
		const wrong = credentialAt((url) => `${url}/wrong`);
		await create(1, { credential: wrong });
		await create(1, { credential: wrong }, { dryRun: true });
		expect(outcomesOf((await create(1)).items)).toEqual(['created']);
	});

	test('sends for a company for which nothing was created', async () => {
		await create(1);
		const credential = { ...movedCredential(), companyId: 1002 };
		expect(outcomesOf((await create(1, { credential })).items)).toEqual(['created']);
	});

	test('sends everything without Skip Already Sent', async () => {
		await create(1);
		const { items } = await service.run(createOnce({}, { skipAlreadySent: false }), {
			items: deliveries(1),
			credential: movedCredential(),
		});
		expect(outcomesOf(items)).toEqual(['created']);
	});

	test('stops Allow Resending for reference IDs', async () => {
		await create(1);
		const { error } = await service.run(
			{ resource: 'delivery', operation: 'allowResending', referenceIds: 'R0' },
			{ credential: movedCredential() },
		);
		expect(error?.message).toContain(expectedQuestion().message);
	});
});

describe('Confirm New Base URL', () => {
	beforeEach(async () => {
		await create(2);
	});

	test('keeps what was sent, so that only new deliveries are created', async () => {
		const { items, error } = await confirm(keep());
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toEqual([
			{ baseUrl: movedCredential().baseUrl, companyId: 1001, confirmed: true },
		]);
		for (let run = 0; run < 2; run++) {
			restart();
			const created = await create(3, { credential: movedCredential() });
			expect(outcomesOf(created.items)).toEqual([
				...['alreadyCreated', 'alreadyCreated', run === 0 ? 'created' : 'alreadyCreated'],
			]);
		}
	});

	test('lets Allow Resending find what was sent to the old Base URL', async () => {
		await confirm(keep());
		const { items } = await service.run(
			{ resource: 'delivery', operation: 'allowResending', referenceIds: 'R0' },
			{ credential: movedCredential() },
		);
		expect(jsonOf(items)).toEqual([{ referenceId: 'R0', allowed: true }]);
	});

	test('starts empty for another system, and leaves the first one as it is', async () => {
		const { items } = await confirm({ sentBefore: 'startEmpty' });
		expect(jsonOf(items)).toMatchObject([{ confirmed: true }]);
		const created = await create(2, { credential: movedCredential() });
		expect(outcomesOf(created.items)).toEqual(['created', 'created']);
		expect(outcomesOf((await create(2)).items)).toEqual(['alreadyCreated', 'alreadyCreated']);
	});

	test('changes nothing when the workflow already uses the Base URL', async () => {
		await confirm({ sentBefore: 'startEmpty' });
		const { items } = await confirm(keep());
		expect(jsonOf(items)).toMatchObject([
			{
				confirmed: false,
				message: 'Nothing was changed: runs for company 1001 already work with this Base URL.',
			},
		]);
	});

	test.each<[string, string, string]>([
		['blank', ' ', 'Old Base URL is not a valid URL'],
		['not a URL', 'old', 'Old Base URL is not a valid URL'],
		[
			'one to which nothing was sent',
			'https://unused.example',
			'This workflow remembers no delivery of company 1001 that was sent to https://unused.example',
		],
	])('rejects an old Base URL that is %s', async (_what, oldBaseUrl, message) => {
		const { error } = await confirm({ sentBefore: 'keep', oldBaseUrl });
		expect(error?.message).toContain(message);
		expect((await create(1, { credential: movedCredential() })).error).toBeDefined();
	});

	test('rejects an old Base URL that is the current one', async () => {
		const { baseUrl } = movedCredential();
		const { error } = await confirm({ sentBefore: 'keep', oldBaseUrl: baseUrl });
		expect(error?.message).toContain('Old Base URL is the URL in the credential');
	});

	test('rejects an empty company, and decides nothing for the own one', async () => {
		const { error } = await confirm({ sentBefore: 'startEmpty', options: { companyId: '' } });
		expect(error?.message).toContain('Company ID');
		expect((await create(1, { credential: movedCredential() })).error).toMatchObject(
			expectedQuestion(),
		);
	});

	test('applies to the company in the options only', async () => {
		await create(1, { items: [delivery({ referenceId: 'R9' })] });
		await confirm({ ...keep(), options: { companyId: '1002' } });
		expect((await create(1, { credential: movedCredential() })).error?.message).toBe(
			expectedQuestion().message,
		);
	});
});
