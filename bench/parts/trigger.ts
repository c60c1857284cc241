import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import axios from 'axios';

import { hasEnded, type WorkflowFile } from '../../playground/n8n/client';
import { step, waitFor } from '../../playground/n8n/progress';
import { receivers, type Receiver, type TriggerRun } from '../results';
import { notReady, Target } from '../sending';
import { ownTriggerWorkflow, webhookWorkflow } from '../workflows';
import type { Installation } from '../installation';
import { rotated } from './create';

const headerName = 'X-Bench-Key';
/** How long n8n may take to list an execution after the response to its event. */
const listedTimeoutMs = 30_000;
const warmUpMs = 500;
/** The pause after n8n was not ready. */
const notReadyMs = 100;

const connections = 10;

/** A webhook that starts a workflow. */
interface Destination {
	workflowId: string;
	url: string;
	headers: Record<string, string>;
	/** The number of accepted events. */
	accepted: number;
}

type Entry = [Receiver, Destination];

/**
 * Sends events to each receiver, taking turns. Returns each run; adds to `problems` if an event is
 * not accepted with 200 or doesn't start exactly one successful execution.
 */
export async function measureTrigger(
	installation: Installation,
	seconds: number,
	rounds: number,
	problems: string[],
): Promise<TriggerRun[]> {
	const target = await Target.open(installation);
	try {
		const destinations = await publish(installation, target);
		const runs: TriggerRun[] = [];
		const send = async ([receiver, destination]: Entry, lastsMs: number) => {
			const until = performance.now() + lastsMs;
			const { rejected, ...figures } = await sendEvents(destination, until);
			destination.accepted += figures.responsesMs.length;
			if (rejected.length > 0)
				problems.push(`${receivers[receiver]}: rejected with ${[...new Set(rejected)].join(', ')}`);
			await executionsEnded(installation, destination.workflowId);
			return { receiver, ...figures };
		};
		await step(`Events, ${rounds} times`, async () => {
			for (const entry of destinations) await send(entry, warmUpMs);
			for (let round = 0; round < rounds; round++)
				for (const entry of rotated(destinations, round))
					runs.push(await send(entry, seconds * 1000));
		});
		for (const [receiver, { workflowId, accepted }] of destinations) {
			const succeeded = await successesAmong(installation, workflowId, accepted);
			if (succeeded !== accepted)
				problems.push(
					`${receivers[receiver]}: ${accepted} events accepted, ${succeeded} executions succeeded`,
				);
		}
		return runs;
	} finally {
		await target.close();
	}
}

async function publish(
	{ client, n8n }: Installation,
	{ own: credentials, service }: Target,
): Promise<Entry[]> {
	const value = randomUUID();
	const data = { name: headerName, value };
	const id = await client.createCredential('Header', 'httpHeaderAuth', data);
	const header = { httpHeaderAuth: { id, name: 'Header' } };
	const add = async (workflow: WorkflowFile, headers: Record<string, string> = {}) => {
		const workflowId = await client.createWorkflow(workflow);
		await client.publish(workflowId);
		return { workflowId, url: `${n8n.url}/webhook/${workflow.name}`, headers, accepted: 0 };
	};
	const own = await add(ownTriggerWorkflow('own', credentials));
	const [webhook] = service.control.webhooks();
	if (webhook === undefined) throw new Error('The trigger did not register its webhook');
	return [
		['own', { ...own, url: webhook.url }],
		['open', await add(webhookWorkflow('open', 'none'))],
		[
			'guarded',
			await add(webhookWorkflow('guarded', 'headerAuth', header), { [headerName]: value }),
		],
	];
}

/** Sends events over several connections, each after the response to the last one. */
async function sendEvents({ url, headers }: Destination, until: number) {
	const httpAgent = new Agent({ keepAlive: true, maxSockets: connections });
	const responsesMs: number[] = [];
	const rejected: number[] = [];
	const started = performance.now();
	const send = async () => {
		while (performance.now() < until) {
			const event = { id: randomUUID(), status: 'assigned', company_id: '1001', city_id: '7' };
			const from = performance.now();
			const { status } = await axios.post<unknown>(url, event, {
				headers,
				httpAgent,
				proxy: false,
				validateStatus: null,
			});
			if (status === 200) responsesMs.push(performance.now() - from);
			else if (status === notReady) await sleep(notReadyMs);
			else rejected.push(status);
		}
	};
	await Promise.all(Array.from({ length: connections }, send));
	httpAgent.destroy();
	return { seconds: (performance.now() - started) / 1000, responsesMs, rejected };
}

/**
 * Counts the successful executions as soon as all are listed. n8n responds to an event before it lists
 * the execution.
 */
async function successesAmong(
	{ client }: Installation,
	workflowId: string,
	expected: number,
): Promise<number> {
	const until = performance.now() + listedTimeoutMs;
	for (;;) {
		const all = await client.executions(workflowId);
		const isComplete = all.length >= expected && all.every(hasEnded);
		if (isComplete || performance.now() >= until)
			return all.filter(({ status }) => status === 'success').length;
		await sleep(notReadyMs);
	}
}

/** Waits until all executions have ended, so that they don't slow down the next receiver. */
async function executionsEnded({ client }: Installation, workflowId: string): Promise<void> {
	await waitFor('the end of the executions', async () => {
		const newest = await client.newestExecutions(workflowId);
		return newest.every(hasEnded);
	});
}
