import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import axios from 'axios';

import { hasEnded } from '../../playground/n8n/client';
import { step, waitFor } from '../../playground/n8n/progress';
import { receivers, type Receiver, type TriggerRun } from '../results';
import { notReady, Target } from '../sending';
import { ownTriggerWorkflow, webhookWorkflow } from '../workflows';
import type { Installation } from '../installation';
import { turned } from './create';

const headerName = 'X-Bench-Key';
const endTimeoutMs = 180_000;
/** How long n8n may take to list an execution whose event it has answered. */
const listedTimeoutMs = 30_000;
const warmUpEvents = 20;
/** How long to leave an n8n alone that takes nothing at the moment. */
const notReadyMs = 100;
/** Of the receiver by which no goal is judged. */
const roundsToldApart = 2;

/** How many connections, and how long each of them brings events. */
export interface TriggerPlan {
	connections: readonly number[];
	rounds: number;
	seconds: number;
}

/** An address that starts a workflow. */
interface Address {
	workflowId: string;
	url: string;
	headers: Record<string, string>;
	/** How many events it has taken so far. */
	taken: number;
}

/**
 * Brings events to each receiver, in turn. Gives each run; adds to `problems` what went wrong: every
 * event must be answered with 200 and start one execution.
 */
export async function measureTrigger(
	installation: Installation,
	database: TriggerRun['database'],
	{ connections, rounds, seconds }: TriggerPlan,
	problems: string[],
): Promise<TriggerRun[]> {
	const target = await Target.open(installation);
	try {
		const addresses = await publish(installation, target);
		const names = [...addresses.keys()];
		const runs: TriggerRun[] = [];
		const bring = async (receiver: Receiver, clients: number, enough: () => boolean) => {
			const address = addresses.get(receiver);
			if (address === undefined) throw new Error(`There is no ${receiver}`);
			const { refused, ...figures } = await bringEvents(address, clients, enough);
			address.taken += figures.answersMs.length;
			if (refused.length > 0)
				problems.push(`${receivers[receiver]}: answered ${[...new Set(refused)].join(', ')}`);
			await atRest(installation, address.workflowId);
			return figures;
		};
		await step(`Warming up (${database})`, async () => {
			for (const receiver of names) {
				let left = warmUpEvents;
				await bring(receiver, 1, () => left-- <= 0);
			}
		});
		await step(`Events (${database}), ${rounds} times`, async () => {
			for (let round = 0; round < rounds; round++) {
				for (const clients of connections) {
					for (const receiver of turned(names, round)) {
						if (receiver === 'withCredential' && round >= roundsToldApart) continue;
						const until = performance.now() + seconds * 1000;
						const figures = await bring(receiver, clients, () => performance.now() >= until);
						runs.push({ receiver, database, connections: clients, ...figures });
					}
				}
			}
		});
		for (const [receiver, { workflowId, taken }] of addresses) {
			const succeeded = await successesAmong(installation, workflowId, taken);
			if (succeeded !== taken) {
				const what = `${taken} events were answered, ${succeeded} executions succeeded`;
				problems.push(`${receivers[receiver]} (${database}): ${what}`);
			}
		}
		return runs;
	} finally {
		await target.close();
	}
}

async function publish(
	installation: Installation,
	target: Target,
): Promise<Map<Receiver, Address>> {
	const { client, n8n } = installation;
	const value = randomUUID();
	const data = { name: headerName, value };
	const id = await client.createCredential('Header', 'httpHeaderAuth', data);
	const header = { httpHeaderAuth: { id, name: 'Header' } };
	const addresses = new Map<Receiver, Address>();
	const own = await client.createWorkflow(ownTriggerWorkflow('own', target.own));
	await client.publish(own);
	const [webhook] = target.service.control.webhooks();
	if (webhook === undefined) throw new Error('The trigger has subscribed nothing');
	addresses.set('own', { workflowId: own, url: webhook.url, headers: {}, taken: 0 });
	const others = {
		bare: webhookWorkflow('bare', 'none'),
		withCredential: webhookWorkflow('with-credential', 'none', header),
		guarded: webhookWorkflow('guarded', 'headerAuth', header),
	};
	const add = async (receiver: keyof typeof others, headers: Record<string, string>) => {
		const workflow = others[receiver];
		const workflowId = await client.createWorkflow(workflow);
		await client.publish(workflowId);
		const url = `${n8n.url}/webhook/${workflow.name}`;
		addresses.set(receiver, { workflowId, url, headers, taken: 0 });
	};
	await add('bare', {});
	await add('withCredential', {});
	await add('guarded', { [headerName]: value });
	return addresses;
}

/**
 * Brings events over so many connections, each of which waits for an answer before the next, until
 * it is enough.
 */
async function bringEvents({ url, headers }: Address, clients: number, enough: () => boolean) {
	const httpAgent = new Agent({ keepAlive: true, maxSockets: clients });
	const answersMs: number[] = [];
	const refused: number[] = [];
	const began = performance.now();
	const bring = async () => {
		while (!enough()) {
			const event = { id: randomUUID(), status: 'assigned', company_id: '1001', city_id: '7' };
			const from = performance.now();
			const { status } = await axios.post<unknown>(url, event, {
				...{ headers, httpAgent, proxy: false },
				validateStatus: null,
			});
			if (status === 200) answersMs.push(performance.now() - from);
			else if (status === notReady) await sleep(notReadyMs);
			else refused.push(status);
		}
	};
	await Promise.all(Array.from({ length: clients }, bring));
	httpAgent.destroy();
	return { seconds: (performance.now() - began) / 1000, answersMs, refused };
}

/**
 * Counts the executions that succeeded once there are as many as expected. n8n answers an event
 * before the list shows its execution.
 */
async function successesAmong(
	{ client }: Installation,
	workflowId: string,
	expected: number,
): Promise<number> {
	const until = performance.now() + listedTimeoutMs;
	for (;;) {
		const all = await client.executions(workflowId);
		const areThere = all.length >= expected && all.every(hasEnded);
		if (areThere || performance.now() >= until)
			return all.filter(({ status }) => status === 'success').length;
		await sleep(notReadyMs);
	}
}

/** Waits until n8n works on no execution, whose cost would fall on whoever comes next. */
async function atRest({ client }: Installation, workflowId: string): Promise<void> {
	await waitFor('the end of the executions', endTimeoutMs, async () => {
		const newest = await client.newestExecutions(workflowId);
		return newest.every(hasEnded) || undefined;
	});
}
