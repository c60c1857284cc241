import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import axios from 'axios';

import { freePort } from '../../../playground/n8n/checks';
import { hasEnded, type StoredWorkflow } from '../../../playground/n8n/client';
import { outputOf } from '../../../playground/n8n/execution';
import { waitFor } from '../../../playground/n8n/progress';
import { node } from '../../../playground/n8n/workflowParts';
import { send } from './calls';
import * as shared from './versionTests';
import {
	fireUpdates,
	listSubscriptions,
	productionWebhook,
	testWebhook,
	waitForExecutions,
} from './events';
import { actionType, nodes, withChangedTrigger } from './workflows';
import { credentialName, credentialType, type Installation } from './installation';

/*
 * Tests of the trigger that every supported n8n version must pass. The versions call the trigger's
 * methods at different times and show different parts of an error.
 */

/** Defines the tests for an open installation. */
export function testTriggerChanges(installation: () => Installation): void {
	const subscriptions = () => listSubscriptions(installation().service.control, installation().n8n);
	const publishTrigger = async (parameters: Record<string, unknown>): Promise<StoredWorkflow> => {
		const workflow = await shared.importTrigger(installation(), parameters);
		await installation().client.publish(workflow.id);
		return workflow;
	};

	describe('two workflows with the same webhook ID', () => {
		test('publishes only one of two workflows with the same webhook ID, and keeps its subscriptions', async () => {
			const { client } = installation();
			const first = await publishTrigger({ events: ['createTask', 'updateTask'] });
			const before = subscriptions();
			const { name, nodes: all, connections } = first;
			const file = { name, nodes: all, connections, settings: { executionOrder: 'v1' } };
			const second = await client.createWorkflow(file);

			await expect(client.publish(second)).rejects.toThrow();

			expect(before).toEqual([
				productionWebhook(first, 'createTask'),
				productionWebhook(first, 'updateTask'),
			]);
			expect(subscriptions()).toEqual(before);
			expect(await fireUpdates(installation().service.control, ['D-1'], 1)).toEqual([200]);
			await waitForExecutions(client, first.id, 1);
			await client.unpublish(first.id);
			await client.publish(second);
			expect(subscriptions()).toEqual(before);
			await client.unpublish(second);
			expect(subscriptions()).toEqual([]);
		});
	});

	describe('credential changes', () => {
		test('receives events after a change of the API secret, and replaces the URLs when publishing', async () => {
			const { client, credentials } = installation();
			const workflow = await publishTrigger({ events: ['updateTask'] });
			const [before] = installation().service.control.webhooks();
			const secret = installation().service.credential.apiSecret;
			const id = credentials[credentialType].id;
			const changeSecret = async (apiSecret: string) => {
				await installation().stopService();
				await installation().resumeService(apiSecret);
				const { credential } = installation().service;
				await client.updateCredential(id, credentialName, credentialType, credential);
			};

			await changeSecret(`${secret}-changed`);
			expect(await fireUpdates(installation().service.control, ['D-1'], 1)).toEqual([200]);
			await waitForExecutions(client, workflow.id, 1);
			await client.unpublish(workflow.id);
			expect(subscriptions()).toEqual([]);
			await client.publish(workflow.id);

			const [after] = installation().service.control.webhooks();
			expect(subscriptions()).toEqual([productionWebhook(workflow, 'updateTask')]);
			expect(after?.url).not.toBe(before?.url);
			const response = await axios.post(before?.url ?? '', { id: 'D-2' }, noProxy);
			expect(response.status).toBe(401);
			expect(await readFile(join(installation().userFolder, 'n8n.log'), 'utf8')).toContain(
				'unpublish the workflow, then publish it (in n8n 1, deactivate and activate it)',
			);

			await changeSecret(secret);
			expect(await fireUpdates(installation().service.control, ['D-3'], 1)).toEqual([200]);
			await waitForExecutions(client, workflow.id, 2);
			await client.unpublish(workflow.id);
			expect(subscriptions()).toEqual([]);
		});

		test('rejects events of the previous company after a change of the company ID, and says what to do', async () => {
			const { client, credentials, service } = installation();
			const workflow = await publishTrigger({ events: ['updateTask'] });
			const changeCompany = async (companyId: number) =>
				await client.updateCredential(
					credentials[credentialType].id,
					credentialName,
					credentialType,
					{ ...service.credential, companyId },
				);
			const [formerWebhook] = service.control.webhooks();
			const callFormer = async () =>
				(await axios.post(formerWebhook?.url ?? '', { id: 'D-1' }, noProxy)).status;

			await changeCompany(1002);
			expect(await callFormer()).toBe(401);
			await client.unpublish(workflow.id);
			await client.publish(workflow.id);

			expect(service.control.webhooks().map(({ companyId }) => companyId)).toEqual([
				service.credential.companyId,
				1002,
			]);
			expect(await callFormer()).toBe(401);
			expect(await readFile(join(installation().userFolder, 'n8n.log'), 'utf8')).toContain(
				'publish the workflow again',
			);
			await client.unpublish(workflow.id);
			await changeCompany(service.credential.companyId);
			service.control.reset();
		});
	});

	describe('one call', () => {
		test('reads large and odd bodies, and rejects nested lists without an execution', async () => {
			const { client, n8n, service } = installation();
			const workflow = await publishTrigger({ events: ['updateTask'] });
			const url = service.control.webhooks()[0]?.url ?? '';
			const prices = Array.from({ length: 100 }, (_, index) => ({ id: `D-${index}`, price: '1' }));
			const fields = Array.from({ length: 40_000 }, (_, index) => [`p[0][k${index}]`, '1']);
			const events = Array.from({ length: 10_000 }, (_, index) => ({ id: `D-${index}` }));
			const smallEvents = (count: number) => JSON.stringify(Array(count).fill({ id: 'D' }));
			const note = 'x'.repeat(1500);
			const form = '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\nD-1\r\n--x--\r\n';
			const bodies: Array<[string, string, number, string?]> = [
				['a route with 100 tasks', JSON.stringify({ route_id: 'R', prices }), 200],
				['40,000 odd fields', JSON.stringify(Object.fromEntries(fields)), 200],
				['10,000 events', JSON.stringify(events.map((event) => ({ ...event, note }))), 200],
				['49,999 small events', smallEvents(49_999), 200],
				['5,000,000 lists', `{"id":"D","p":[${'[],'.repeat(5_000_000)}[]]}`, 400],
				['50,000 small events', smallEvents(50_000), 400],
				['a multipart form', form, 400, 'multipart/form-data; boundary=x'],
				['XML', '<id>D-1</id>', 400, 'application/xml'],
				['21 levels', '['.repeat(21) + ']'.repeat(21), 400],
				['10 kB of lists', '['.repeat(5000) + ']'.repeat(5000), 400],
				// n8n's own response: the node isn't called.
				['10 kB of unclosed lists', '['.repeat(10_000), 422],
			];
			for (const [index, [name, body, expected, type]] of bodies.entries()) {
				const started = Date.now();
				const headers = { 'content-type': type ?? 'application/json' };
				const { status } = await send(url, { name, headers, body });
				const responded = Date.now() - started;
				const listed = await waitFor('the executions', async () => {
					const all = await client.executions(workflow.id);
					return all.length > Math.min(index, 3) && all.every(hasEnded) && all;
				});
				const memory = await readFile(`/proc/${n8n.child.pid}/status`, 'utf8').catch(() => '');
				console.log(
					`  ${name}, ${body.length} bytes: status ${status} after ${responded} ms, ended after ` +
						`${Date.now() - started} ms, memory ${/VmRSS:\s+(.*)/.exec(memory)?.[1]}`,
				);
				const statuses = listed.map((execution) => execution.status);
				const accepted = bodies.slice(0, index + 1).filter(([, , code]) => code === 200);
				expect([name, status, statuses]).toEqual([name, expected, accepted.map(() => 'success')]);
			}
			await client.unpublish(workflow.id);
		});
	});

	describe('a crash of n8n', () => {
		test('completes publishing after a crash, outputs the event of the crashed execution again, and keeps its webhooks after a restart', async () => {
			const { client, credentials, service } = installation();
			const { control } = service;
			const hanging = await shared.importTrigger(installation(), { events: ['updateTask'] });
			const list = { resource: 'webhook', operation: 'getAll' };
			const done = { ...node(nodes.done, actionType, list), credentials };
			await client.updateWorkflow(hanging.id, { nodes: [...hanging.nodes.slice(0, 1), done] });
			await client.publish(hanging.id);
			const events = ['createTask', 'createRoute', 'updateTask'] as const;
			const workflow = await shared.importTrigger(installation(), { events });
			control.addFault({ method: 'GET', path: '/hooks/', kind: 'hang' });
			expect(await fireUpdates(control, ['D-1'], 1)).toEqual([200]);
			await waitFor('the node that never ends', () => control.requests().at(-1)?.method === 'GET');
			const creations = { method: 'POST', path: '/hooks/' };
			control.addFault({ ...creations, kind: 'delay', ms: 5000, skip: 1, times: 2 });
			const published = client.publish(workflow.id).catch(() => undefined);
			await waitFor('the first webhook', () => subscriptions().length === 2);
			await sleep(500);

			await installation().killN8n();
			await published;
			// n8n 2 waits for two minutes by default before it continues to publish.
			await installation().startN8n({ N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '5' });

			const expected = [
				productionWebhook(hanging, 'updateTask'),
				...events.map((event) => productionWebhook(workflow, event)),
			].sort();
			await waitFor('all webhooks', () => subscriptions().length === expected.length);
			expect(subscriptions()).toEqual(expected);
			const [crashed] = await waitForExecutions(client, hanging.id, 1);
			expect(crashed?.status).toBe('crashed');
			const retried = await client.retry(crashed?.id ?? '');
			expect(retried.status).toBe('success');
			const [event] = outputOf(retried, nodes.trigger).slice(-1);
			expect(event).toMatchObject({ event: 'updateTask', id: 'D-1' });
			await client.unpublish(hanging.id);
			expect(await fireUpdates(control, ['D-2'], 1)).toEqual([200]);

			const before = control.webhooks();
			await installation().restartN8n();
			expect(control.webhooks()).toEqual(before);
			expect(await fireUpdates(control, ['D-3'], 1)).toEqual([200]);
			await waitForExecutions(client, workflow.id, 2);
			await client.unpublish(workflow.id);
			expect(subscriptions()).toEqual([]);
		});
	});

	describe('changes of a published trigger', () => {
		// The node waits four seconds for a response.
		test.each([0, 2000])(
			'subscribes a changed trigger without a list before, at a response time of %d ms',
			async (latencyMs) => {
				const { client, service } = installation();
				const { control } = service;
				const { id, nodes: all } = await publishTrigger({ events: ['updateTask'] });
				const parameters = { events: ['createTask', 'updateTask'] };
				const changed = withChangedTrigger({ nodes: all }, { parameters });
				const acceptedAt: number[] = [];
				const fireOne = async () => {
					const [status] = await fireUpdates(control, ['D-1'], 1);
					if (status === 200) acceptedAt.push(Date.now());
					await sleep(50);
				};
				await fireOne();
				control.settings({ latencyMs });
				const before = control.requests().length;
				let isPublished = false;
				// n8n 1 publishes a change when it is saved.
				const published = client
					.updateWorkflow(id, { nodes: changed })
					.then(async () => await client.publish(id))
					.finally(() => (isPublished = true));
				while (!isPublished) await fireOne();
				await published;
				await fireOne();
				const requests = control.requests().slice(before);
				const methods = requests.map(({ method }) => method);
				control.settings({ latencyMs: 0 });

				const gaps = acceptedAt.slice(1).map((at, index) => at - (acceptedAt[index] ?? at));
				const longest = Math.max(...gaps);
				const gapAt = acceptedAt[gaps.indexOf(longest)] ?? 0;
				const times = requests.map(({ method, at }) => `${method} ${at - gapAt}`).join(', ');
				console.log(`  no event accepted for up to ${longest} ms; in it, ms: ${times}`);
				expect(methods.slice(-2)).toEqual(['POST', 'POST']);
				// A second list, which was seen once on a busy machine, changes nothing.
				expect([...new Set(methods.slice(0, -2))].sort()).toEqual(['DELETE', 'GET']);
				expect(methods.filter((method) => method !== 'GET')).toHaveLength(3);
				// Less than a response time apart: in parallel.
				const [first = 0, second = Infinity] = requests.map(({ at }) => at);
				const [third = 0, last = Infinity] = requests.slice(-2).map(({ at }) => at);
				if (latencyMs > 0) expect(Math.max(second - first, last - third)).toBeLessThan(latencyMs);
				await waitForExecutions(client, id, acceptedAt.length);
				await client.unpublish(id);
			},
		);

		test('executes every event that n8n accepts while the trigger changes four times', async () => {
			const { client, service } = installation();
			const latencyMs = 100;
			service.control.settings({ latencyMs });
			const workflow = await publishTrigger({ events: ['updateTask'] });
			const changes = [
				{ events: ['createTask', 'updateTask'] },
				{ events: ['createTask', 'updateTask'], options: { cities: '7' } },
				{ events: ['updateTask'], options: { cities: '7' } },
				{ events: ['createRoute', 'updateTask'] },
			];
			const results: string[] = [];
			let isChanging = true;
			const fire = async () => {
				for (let index = 1; isChanging; index++) {
					const statuses = await fireUpdates(service.control, [`D-${index}`], 1);
					results.push(String(statuses[0] ?? 'not subscribed'));
					await sleep(50);
				}
			};
			const firing = fire();
			for (const parameters of changes) {
				await sleep(500);
				await client.updateWorkflow(workflow.id, {
					nodes: withChangedTrigger(workflow, { parameters }),
				});
				await client.publish(workflow.id);
			}
			await sleep(500);
			isChanging = false;
			await firing;

			const counts = new Map<string, number>();
			for (const result of results) counts.set(result, (counts.get(result) ?? 0) + 1);
			console.log(`  events by result: ${JSON.stringify(Object.fromEntries(counts))}`);
			await waitForExecutions(client, workflow.id, counts.get('200') ?? 0);
			expect(results.slice(-1)).toEqual(['200']);
			expect(subscriptions()).toEqual([
				productionWebhook(workflow, 'createRoute'),
				productionWebhook(workflow, 'updateTask'),
			]);
			service.control.settings({ latencyMs: 0 });
			await client.unpublish(workflow.id);
		});
	});

	describe('URL checks by the service', () => {
		test('responds to URL checks without an execution, published and while listening', async () => {
			const { client, service } = installation();
			const workflow = await shared.importTrigger(installation(), { events: ['updateTask'] });
			const checkStatuses = async () => {
				const url = service.control.webhooks()[0]?.url ?? '';
				const { status: get } = await axios.get(url, noProxy);
				const { status: head } = await axios.head(url, noProxy);
				const { status: post } = await axios.post(url, {}, noProxy);
				const { status: patch } = await axios.patch(url, {}, noProxy);
				const unsigned = url.replace(/signature=.*/, '');
				const { status: forged } = await axios.get(unsigned, noProxy);
				return { get, head, post, patch, forged };
			};
			const expected = { get: 200, head: 200, post: 200, patch: 405, forged: 401 };

			await client.listen(workflow.id, nodes.trigger);
			expect(await checkStatuses()).toEqual(expected);
			expect(subscriptions()).toEqual([testWebhook(workflow, 'updateTask')]);
			expect(await fireUpdates(service.control, ['D-1'], 1)).toEqual([200]);
			await waitForExecutions(client, workflow.id, 1);
			await waitFor('the trigger to stop listening', () => subscriptions().length === 0);

			await client.publish(workflow.id);
			expect(await checkStatuses()).toEqual(expected);
			expect(await fireUpdates(service.control, ['D-2'], 1)).toEqual([200]);
			await waitForExecutions(client, workflow.id, 2);
			await client.unpublish(workflow.id);
			expect(subscriptions()).toEqual([]);
		});
	});

	describe('publishing errors', () => {
		test('names the service and the reason, leaves no webhook, and hides the signature that the service quotes', async () => {
			const { client, service, userFolder } = installation();
			const workflow = await publishTrigger({ events: ['updateTask'] });
			const url = service.control.webhooks()[0]?.url ?? '';
			await client.unpublish(workflow.id);
			const body = { message: `The URL ${url} does not answer` };
			const creations = { kind: 'status', method: 'POST', times: null } as const;
			service.control.addFault({ ...creations, path: '/hooks/companies/1001', status: 422, body });
			// One webhook is created, the others are rejected; on n8n's retries, all are.
			const half = { ...creations, path: '/hooks/companies/1002', skip: 1 };
			service.control.addFault({ ...half, status: 503 });

			const one = { events: ['updateTask'] };
			const { credential } = service;
			const nowhere = `http://127.0.0.1:${await freePort()}`;
			const cases: Array<[RegExp, Record<string, unknown>, object]> = [
				[/signature=\*\*\* does not answer/, one, credential],
				[
					/server error \(status 503\)/,
					{ events: ['createTask', 'createRoute', 'updateTask'] },
					{ ...credential, companyId: 1002 },
				],
				[/Base URL.*must start with http/, one, { ...credential, baseUrl: 'api.example' }],
				[/Delivery Service.*API key/, one, { ...credential, apiSecret: 'wrong' }],
				[/Delivery Service.*not found.*Company ID/, one, { ...credential, companyId: 77 }],
				[/Company ID is .*not a positive/, one, { ...credential, companyId: 'acme' }],
				[
					/The connection to the .* at 127\.0\.0\.1:\d+ failed/,
					one,
					{ ...credential, baseUrl: nowhere },
				],
				[/"4; 5".*Only These Cities/, { ...one, options: { cities: '4; 5' } }, credential],
			];
			const started: Array<string | (() => Promise<void>)> = [];
			// One after another, because the node waits only four seconds for a response.
			for (const [index, [, parameters, data]] of cases.entries()) {
				const name = `Faulty ${index}`;
				const id = await client.createCredential(name, credentialType, data);
				const credentials = { [credentialType]: { id, name } };
				// The service quotes the URL of the first one.
				const imported =
					index === 0
						? workflow
						: await shared.importTrigger(installation(), parameters, credentials);
				started.push(await client.startPublishing(imported.id).catch(String));
			}
			const errors = await Promise.all(
				started.map(async (end) => (typeof end === 'string' ? end : await end().catch(String))),
			);

			for (const [index, [reason]] of cases.entries()) {
				expect(errors[index]).toMatch(reason);
				expect(errors[index]).toContain('Delivery Service');
			}
			const ofHalf = service.control
				.requests()
				.filter(({ method, path }) => method === 'POST' && path === '/hooks/companies/1002');
			expect(ofHalf.slice(0, 3).map(({ status }) => status)).toEqual([200, 503, 503]);
			expect(service.control.webhooks()).toEqual([]);
			const signature = new URL(url).searchParams.get('signature') ?? 'none';
			expect(errors.join()).not.toContain(signature);
			const files = ['n8n.log', '.n8n/database.sqlite', '.n8n/database.sqlite-wal'];
			for (const file of files)
				expect((await readFile(join(userFolder, file))).includes(signature)).toBe(false);
		});
	});
}

const noProxy = { proxy: false, validateStatus: () => true } as const;
