import axios, { isAxiosError } from 'axios';
import { z } from 'zod';

import { hasEnded, N8nRejection, type WorkflowFile } from '../../../playground/n8n/client';
import { outputOf } from '../../../playground/n8n/execution';
import { waitFor } from '../../../playground/n8n/progress';
import { connection, node } from '../../../playground/n8n/workflowParts';
import { shopifyOrder } from '../../support/shopifyOrders';
import type { QueueWorld } from './queue';
import { pickupFields } from './sampleDelivery';

const names = { webhook: 'Orders', split: 'Each order', create: 'Create deliveries' } as const;
const executionsTimeoutMs = 180_000;
const readyTimeoutMs = 30_000;
const notReady = 503;

/** What the node said of an order. */
export const outcomes = [
	'created',
	'alreadyCreated',
	'sameReferenceInInput',
	'unknown',
	'notSent',
	'rejected',
	'invalid',
] as const;

export type Outcome = (typeof outcomes)[number];

/** A published workflow that makes deliveries from the orders which are posted to it. */
export interface Sender {
	/** Starts an execution with orders of these names; resolves once n8n has taken it. */
	post(orders: readonly string[]): Promise<void>;
	/** Waits until no execution is worked on, and gives what those that have ended since did. */
	finished(): Promise<SentExecution[]>;
}

/** What an execution did. */
export interface SentExecution {
	id: string;
	status: string;
	/** What was said of each order, by its name; empty when the execution was not completed. */
	outcomes: Map<string, Outcome[]>;
}

const createdSchema = z.object({ referenceId: z.string(), id: z.union([z.string(), z.number()]) });
const skippedSchema = z.object({
	skipped: z.literal(true),
	referenceId: z.string(),
	reason: z.enum(outcomes),
});
const failedSchema = z.object({
	error: z.object({ referenceId: z.string(), outcome: z.enum(outcomes) }),
});
const itemSchema = z.union([
	skippedSchema.transform(({ referenceId, reason }) => ({ referenceId, outcome: reason })),
	failedSchema.transform(({ error }) => error),
	createdSchema.transform(({ referenceId }) => ({ referenceId, outcome: 'created' as const })),
]);

/** The options by which a workflow sends. */
export interface SenderOptions {
	batchSize: number;
	/** By default it is on. */
	skipAlreadySent?: boolean;
}

/** Publishes a workflow that sends the orders of a webhook's call, each once. */
export async function publishSender(
	installation: QueueWorld,
	options: SenderOptions,
): Promise<Sender> {
	const path = `orders-${Date.now()}`;
	const workflowId = await installation.client.createWorkflow(
		senderWorkflow(installation, path, options),
	);
	await installation.client.publish(workflowId);
	const seen = new Set<string>();
	let posted = 0;
	return {
		async post(orders) {
			const url = `${installation.webhookUrl}/webhook/${path}`;
			const body = { orders: orders.map((name) => shopifyOrder({ name })) };
			await waitFor('a webhook that is taken', readyTimeoutMs, async () => {
				return await unlessNotReady(axios.post(url, body, { proxy: false }));
			});
			posted++;
		},
		async finished() {
			const ended = await waitFor('the end of all executions', executionsTimeoutMs, async () => {
				// In this order: what a worker has finished is stored already.
				const left = await installation.left();
				const all = await unlessNotReady(installation.client.executions(workflowId));
				const isOver = all?.every((one) => hasEnded(one) || left.has(one.id));
				return all?.length === posted && isOver ? all.filter(hasEnded) : undefined;
			});
			const fresh = ended.filter(({ id }) => !seen.has(id));
			const results: SentExecution[] = [];
			for (const { id, status } of fresh) {
				seen.add(id);
				results.push({ id, status, outcomes: await outcomesOf(installation, id, status) });
			}
			return results;
		},
	};
}

/** What n8n answered, or undefined when it looked for its database just then and did nothing. */
async function unlessNotReady<T>(answer: Promise<T>): Promise<T | undefined> {
	try {
		return await answer;
	} catch (error) {
		const status = isAxiosError(error)
			? error.response?.status
			: error instanceof N8nRejection && error.status;
		if (status === notReady) return undefined;
		throw error;
	}
}

/** Order names, each of its own: `#K1-0001`, `#K1-0002` and so on. */
export function orderNames(prefix: string, count: number): string[] {
	return Array.from(
		{ length: count },
		(_, index) => `#${prefix}-${String(index + 1).padStart(4, '0')}`,
	);
}

/** Parts of at most `size`. */
export function partsOf<T>(list: readonly T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
		list.slice(part * size, (part + 1) * size),
	);
}

/** How often each reference was created at the service. */
export function creationsOf(installation: QueueWorld): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { record } of installation.service.control.deliveries()) {
		const reference = String(record.referenceId);
		counts.set(reference, (counts.get(reference) ?? 0) + 1);
	}
	return counts;
}

/** How often each outcome was said. */
export function tally(executions: readonly SentExecution[]): Partial<Record<Outcome, number>> {
	const counts: Partial<Record<Outcome, number>> = {};
	for (const execution of executions)
		for (const outcome of [...execution.outcomes.values()].flat())
			counts[outcome] = (counts[outcome] ?? 0) + 1;
	return counts;
}

async function outcomesOf(
	installation: QueueWorld,
	id: string,
	status: string,
): Promise<SentExecution['outcomes']> {
	const found = new Map<string, Outcome[]>();
	if (status !== 'success') return found;
	for (const json of outputOf(await installation.client.execution(id), names.create)) {
		const { referenceId, outcome } = itemSchema.parse(json);
		found.set(referenceId, [...(found.get(referenceId) ?? []), outcome]);
	}
	return found;
}

function senderWorkflow(
	{ credentials }: QueueWorld,
	path: string,
	{ skipAlreadySent = true, ...options }: SenderOptions,
): WorkflowFile {
	const webhook = { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} };
	return {
		name: `Send ${path}`,
		nodes: [
			{
				...node(names.webhook, 'n8n-nodes-base.webhook', webhook),
				typeVersion: 2,
				webhookId: path,
			},
			node(names.split, 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'body.orders', options: {} }),
			{
				...node(names.create, 'n8n-nodes-delivery-service.deliveryService', {
					resource: 'delivery',
					operation: 'create',
					source: 'shopifyOrder',
					order: '={{ $json }}',
					...pickupFields,
					skipAlreadySent,
					orderOptions: {},
					options,
				}),
				credentials,
				onError: 'continueRegularOutput',
			},
		],
		connections: {
			[names.webhook]: { main: [[connection(names.split)]] },
			[names.split]: { main: [[connection(names.create)]] },
		},
		settings: { executionOrder: 'v1' },
	};
}
