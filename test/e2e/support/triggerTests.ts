import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import axios from 'axios';

import { freePort } from '../../../playground/n8n/checks';
import type { StoredWorkflow } from '../../../playground/n8n/client';
import { outputOf } from '../../../playground/n8n/execution';
import { waitFor } from '../../../playground/n8n/progress';
import * as shared from './versionTests';
import { executionsOf, fireUpdates, liveAddress, subscriptionsOf, testAddress } from './events';
import { nodes, withTrigger } from './workflows';
import { credentialName, credentialType, type Installation } from './installation';

/*
 * What holds in every supported n8n version of a trigger whose circumstances change: each version
 * calls the trigger's methods at other moments, and shows other parts of an error.
 */

/** Defines the tests, for an installation that is open while they run. */
export function testTriggerChanges(installation: () => Installation): void {
	const subscriptions = () => subscriptionsOf(installation().service.control, installation().n8n);
	const published = async (parameters: Record<string, unknown>): Promise<StoredWorkflow> => {
		const workflow = await shared.imported(installation(), parameters);
		await installation().client.publish(workflow.id);
		return workflow;
	};

	describe('two workflows with the same webhook ID', () => {
		test('are not both published, and neither takes off what the other subscribed', async () => {
			const { client } = installation();
			const first = await published({ events: ['createTask', 'updateTask'] });
			const before = subscriptions();
			const { name, nodes: all, connections } = first;
			const file = { name, nodes: all, connections, settings: { executionOrder: 'v1' } };
			const second = await client.createWorkflow(file);

			await expect(client.publish(second)).rejects.toThrow();

			expect(before).toEqual([liveAddress(first, 'createTask'), liveAddress(first, 'updateTask')]);
			expect(subscriptions()).toEqual(before);
			expect(await fireUpdates(installation().service.control, ['D-1'], 1)).toEqual([200]);
			await executionsOf(client, first.id, 1);
			await client.unpublish(first.id);
			await client.publish(second);
			expect(subscriptions()).toEqual(before);
			await client.unpublish(second);
			expect(subscriptions()).toEqual([]);
		});
	});

	describe('a changed API secret', () => {
		test('stops no event, and publishing replaces the addresses', async () => {
			const { client, credentials } = installation();
			const workflow = await published({ events: ['updateTask'] });
			const [before] = installation().service.control.webhooks();
			const secret = installation().service.credential.apiSecret;
			const id = credentials[credentialType].id;
			const change = async (apiSecret: string) => {
				await installation().stopService();
				await installation().resumeService(apiSecret);
				const { credential } = installation().service;
				await client.updateCredential(id, credentialName, credentialType, credential);
			};

			await change(`${secret}-changed`);
			expect(await fireUpdates(installation().service.control, ['D-1'], 1)).toEqual([200]);
			await executionsOf(client, workflow.id, 1);
			await client.unpublish(workflow.id);
			expect(subscriptions()).toEqual([]);
			await client.publish(workflow.id);

			const [after] = installation().service.control.webhooks();
			expect(subscriptions()).toEqual([liveAddress(workflow, 'updateTask')]);
			expect(after?.url).not.toBe(before?.url);
			const answer = await axios.post(before?.url ?? '', { id: 'D-2' }, noProxy);
			expect(answer.status).toBe(401);
			expect(await readFile(join(installation().userFolder, 'n8n.log'), 'utf8')).toContain(
				'unpublish the workflow, then publish it (in n8n 1, turn it off and on)',
			);

			await change(secret);
			expect(await fireUpdates(installation().service.control, ['D-3'], 1)).toEqual([200]);
			await executionsOf(client, workflow.id, 2);
			await client.unpublish(workflow.id);
			expect(subscriptions()).toEqual([]);
		});

		test('to that of another company leaves nothing behind', async () => {
			const { client, credentials, service } = installation();
			const workflow = await published({ events: ['updateTask'] });
			const change = async (companyId: number) =>
				await client.updateCredential(
					credentials[credentialType].id,
					credentialName,
					credentialType,
					{ ...service.credential, companyId },
				);
			const companies = () => service.control.webhooks().map(({ companyId }) => companyId);
			const [former] = service.control.webhooks();

			await change(1002);
			await client.unpublish(workflow.id);
			expect(companies()).toEqual([]);
			await client.publish(workflow.id);
			expect(companies()).toEqual([1002]);
			expect((await axios.post(former?.url ?? '', { id: 'D-1' }, noProxy)).status).toBe(401);

			await change(service.credential.companyId);
			await client.unpublish(workflow.id);
			expect(companies()).toEqual([]);
		});
	});

	describe('a copy of this n8n, or its former address', () => {
		test('keeps what is subscribed there, and the log says that it exists', async () => {
			const { client, service } = installation();
			const workflow = await published({ events: ['updateTask'] });
			const [{ companyId = 0, url = '', action = 0 } = {}] = service.control.webhooks();
			const { pathname, search } = new URL(url);
			const elsewhere = `https://former.example${pathname}${search}`;
			const { baseUrl, apiKeyId, apiSecret } = service.credential;
			await axios.post(
				`${baseUrl}/hooks/companies/${companyId}`,
				new URLSearchParams({ url: elsewhere, action: String(action) }),
				{ auth: { username: apiKeyId, password: apiSecret }, proxy: false },
			);

			await client.unpublish(workflow.id);
			await client.publish(workflow.id);

			const urls = service.control.webhooks().map((webhook) => webhook.url);
			expect(urls.sort()).toEqual([url, elsewhere].sort());
			expect(await readFile(join(installation().userFolder, 'n8n.log'), 'utf8')).toContain(
				`"${nodes.trigger}" in workflow "Delivery events" (${workflow.id}): the Delivery Service also calls this node at https://former.example (Delivery Updated).`,
			);
			await client.unpublish(workflow.id);
			service.control.reset();
		});
	});

	describe('a service that tries out whether an address answers', () => {
		test('gets 200 and starts nothing, live and while the editor listens', async () => {
			const { client, service } = installation();
			const workflow = await shared.imported(installation(), { events: ['updateTask'] });
			const statuses = async () => {
				const url = service.control.webhooks()[0]?.url ?? '';
				const { status: get } = await axios.get(url, noProxy);
				const { status: head } = await axios.head(url, noProxy);
				const { status: post } = await axios.post(url, {}, noProxy);
				const unsigned = url.replace(/signature=.*/, '');
				const { status: forged } = await axios.get(unsigned, noProxy);
				return { get, head, post, forged };
			};
			const expected = { get: 200, head: 200, post: 200, forged: 401 };

			await client.listen(workflow.id, nodes.trigger);
			expect(await statuses()).toEqual(expected);
			expect(subscriptions()).toEqual([testAddress(workflow, 'updateTask')]);
			expect(await fireUpdates(service.control, ['D-1'], 1)).toEqual([200]);
			await executionsOf(client, workflow.id, 1);
			await waitFor('the end of listening', 10_000, () =>
				Promise.resolve(subscriptions().length === 0 || undefined),
			);

			await client.publish(workflow.id);
			expect(await statuses()).toEqual(expected);
			expect(await fireUpdates(service.control, ['D-2'], 1)).toEqual([200]);
			await executionsOf(client, workflow.id, 2);
			await client.unpublish(workflow.id);
			expect(subscriptions()).toEqual([]);
		});
	});

	describe('a service that drops the query of addresses', () => {
		test('is rid of an event that is no longer chosen, whose calls start nothing', async () => {
			const { client, service, n8n } = installation();
			service.control.settings({ variant: 'query-dropped' });
			const options = { verifyCaller: false };
			const workflow = await published({ events: ['createTask', 'updateTask'], options });
			const [{ url = '' } = {}] = service.control.webhooks();
			expect(url).toMatch(new RegExp(`^${n8n.url}/webhook/[^?]+$`));
			const actions = () => service.control.webhooks().map(({ action }) => action);
			expect(actions()).toEqual([1, 3]);

			const parameters = { events: ['updateTask'], options };
			await client.updateWorkflow(workflow.id, { nodes: withTrigger(workflow, { parameters }) });
			await client.publish(workflow.id);
			expect(actions()).toEqual([3]);
			const created = { id: 'D-1', distance: 1, price: 2, currencySign: '$' };
			expect((await axios.post(url, created, noProxy)).status).toBe(200);
			expect(await fireUpdates(service.control, ['D-2'], 1)).toEqual([200]);
			const executions = await executionsOf(client, workflow.id, 1);
			expect(executions.flatMap((execution) => outputOf(execution, nodes.done))).toMatchObject([
				{ event: 'updateTask', id: 'D-2' },
			]);

			await client.unpublish(workflow.id);
			expect(actions()).toEqual([]);
		});
	});

	describe('a workflow that cannot be published', () => {
		test('says why, with the name of the service and the reason', async () => {
			const { client, service } = installation();
			const one = { events: ['updateTask'] };
			const { credential } = service;
			const faults: Array<[RegExp, Record<string, unknown>, object]> = [
				[/Base URL.*must start with http/, one, { ...credential, baseUrl: 'api.example' }],
				[/Delivery Service.*API key/, one, { ...credential, apiSecret: 'wrong' }],
				[/Delivery Service.*404/, one, { ...credential, companyId: 77 }],
				[
					/[Cc]ould not connect/,
					one,
					{ ...credential, baseUrl: `http://127.0.0.1:${await freePort()}` },
				],
				[/"4; 5".*Only These Cities/, { ...one, options: { cities: '4; 5' } }, credential],
				[
					/Ignore Duplicates Within/,
					{ ...one, options: { ignoreDuplicatesMinutes: -1 } },
					credential,
				],
			];
			const refusals = await Promise.all(
				faults.map(async ([, parameters, data], index) => {
					const name = `Faulty ${index}`;
					const id = await client.createCredential(name, credentialType, data);
					const credentials = { [credentialType]: { id, name } };
					const workflow = await shared.imported(installation(), parameters, credentials);
					return await client.publish(workflow.id).catch((error: unknown) => String(error));
				}),
			);
			for (const [index, [reason]] of faults.entries()) {
				expect(refusals[index]).toMatch(reason);
				expect(refusals[index]).toContain('Delivery Service');
			}
			expect(service.control.webhooks()).toEqual([]);
		});
	});
}

const noProxy = { proxy: false, validateStatus: () => true } as const;
