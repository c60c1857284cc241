import { randomUUID } from 'node:crypto';

import axios, { isAxiosError } from 'axios';
import { z } from 'zod';

import { hasEnded, N8nRejection, type WorkflowFile } from '../../../playground/n8n/client';
import { outputOf } from '../../../playground/n8n/execution';
import { waitFor } from '../../../playground/n8n/progress';
import { connection, node } from '../../../playground/n8n/workflowParts';
import { shopifyOrder } from '../../support/shopifyOrders';
import type { QueueInstallation } from './queue';
import { dropoff, packages, pickup, pickupFields } from './sampleDelivery';

/** The names of the nodes in the workflow below. */
export const senderNodes = {
	webhook: 'Orders',
	split: 'Each order',
	create: 'Create deliveries',
} as const;

const notReady = 503;

/** The outcomes that the node reports for an order. */
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

/** A published workflow that creates deliveries from the orders posted to its webhook. */
export interface Sender {
	/** Starts an execution with orders of the given names. Resolves once n8n has accepted it. */
	post(orders: readonly string[]): Promise<void>;
	/** Waits until no execution is active. Returns the results since the last call. */
	results(): Promise<SenderResult[]>;
}

/** The result of an execution. */
export interface SenderResult {
	id: string;
	status: string;
	/** The reported outcomes by order name; empty unless the execution succeeded. */
	outcomes: Map<string, Outcome[]>;
}

const itemSchema = z
	.object({
		referenceId: z.string(),
		outcome: z.enum([...outcomes, 'skipped']),
		reason: z.union([z.enum(outcomes), z.literal('')]),
	})
	.transform(({ referenceId, outcome, reason }) => ({
		referenceId,
		outcome: z.enum(outcomes).parse(reason || outcome),
	}));

/** The sending options of the workflow. */
export interface SenderOptions {
	/** Creates the deliveries from JSON, with this Batch Size. */
	batchSize?: number;
	/** Defaults to true. */
	skipAlreadySent?: boolean;
}

/** What a sender needs of an installation. */
export type SenderInstallation = Pick<
	QueueInstallation,
	'client' | 'credentials' | 'inactiveExecutions' | 'service' | 'webhookUrl'
>;

const fromOrders = { operation: 'createFromOrders', order: '={{ $json }}', ...pickupFields };

const fromJson = {
	operation: 'create',
	source: 'json',
	// Spaced, because an expression ends at two closing braces.
	deliveryJson: `={{ Object.assign(${JSON.stringify({ pickup, dropoff, packages }, null, 1)}, { referenceId: $json.name }) }}`,
};

/** Publishes a workflow that creates deliveries from the orders in a webhook call. */
export async function publishSender(
	installation: SenderInstallation,
	options: SenderOptions,
): Promise<Sender> {
	const path = `orders-${randomUUID()}`;
	const workflowId = await installation.client.createWorkflow(
		senderWorkflow(installation, path, options),
	);
	await installation.client.publish(workflowId);
	const reported = new Set<string>();
	let postedCount = 0;
	return {
		async post(orders) {
			const url = `${installation.webhookUrl}/webhook/${path}`;
			const body = { orders: orders.map((name) => shopifyOrder({ name })) };
			await waitFor('the webhook to respond', async () => {
				return await unlessNotReady(axios.post(url, body, { proxy: false }));
			});
			postedCount++;
		},
		async results() {
			const ended = await waitFor('all executions to end', async () => {
				// Must precede the list of executions: n8n has then stored all finished ones.
				const inactive = await installation.inactiveExecutions();
				const all = await unlessNotReady(installation.client.executions(workflowId));
				const isOver = all?.every((execution) => hasEnded(execution) || inactive.has(execution.id));
				return all?.length === postedCount && isOver ? all.filter(hasEnded) : undefined;
			});
			const unreported = ended.filter(({ id }) => !reported.has(id));
			const results: SenderResult[] = [];
			for (const { id, status } of unreported) {
				reported.add(id);
				results.push({ id, status, outcomes: await readOutcomes(installation, id, status) });
			}
			return results;
		},
	};
}

/** Returns n8n's response, or undefined when n8n did nothing because its database was unavailable. */
async function unlessNotReady<T>(response: Promise<T>): Promise<T | undefined> {
	try {
		return await response;
	} catch (error) {
		const status = isAxiosError(error)
			? error.response?.status
			: error instanceof N8nRejection && error.status;
		if (status === notReady) return undefined;
		throw error;
	}
}

/** Generates unique order names: `#K1-0001`, `#K1-0002` and so on. */
export function orderNames(prefix: string, count: number): string[] {
	return Array.from(
		{ length: count },
		(_, index) => `#${prefix}-${String(index + 1).padStart(4, '0')}`,
	);
}

/** Splits a list into chunks of at most `size` entries. */
export function chunk<T>(list: readonly T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
		list.slice(index * size, (index + 1) * size),
	);
}

/** Counts the deliveries that the service has created for each reference ID. */
export function countCreations(
	installation: Pick<SenderInstallation, 'service'>,
): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { record } of installation.service.control.deliveries()) {
		const referenceId = String(record.referenceId);
		counts.set(referenceId, (counts.get(referenceId) ?? 0) + 1);
	}
	return counts;
}

/** Counts the reported outcomes. */
export function countOutcomes(
	executions: readonly SenderResult[],
): Partial<Record<Outcome, number>> {
	const counts: Partial<Record<Outcome, number>> = {};
	for (const execution of executions)
		for (const outcome of [...execution.outcomes.values()].flat())
			counts[outcome] = (counts[outcome] ?? 0) + 1;
	return counts;
}

async function readOutcomes(
	installation: SenderInstallation,
	id: string,
	status: string,
): Promise<SenderResult['outcomes']> {
	const orderOutcomes = new Map<string, Outcome[]>();
	if (status !== 'success') return orderOutcomes;
	for (const json of outputOf(await installation.client.execution(id), senderNodes.create)) {
		const { referenceId, outcome } = itemSchema.parse(json);
		orderOutcomes.set(referenceId, [...(orderOutcomes.get(referenceId) ?? []), outcome]);
	}
	return orderOutcomes;
}

/** Builds the workflow that creates deliveries from the `orders` in a call of its webhook. */
export function senderWorkflow(
	{ credentials }: Pick<SenderInstallation, 'credentials'>,
	path: string,
	{ skipAlreadySent = true, ...options }: SenderOptions,
): WorkflowFile {
	const webhook = { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} };
	return {
		name: `Send ${path}`,
		nodes: [
			{
				...node(senderNodes.webhook, 'n8n-nodes-base.webhook', webhook),
				typeVersion: 2,
				webhookId: path,
			},
			node(senderNodes.split, 'n8n-nodes-base.splitOut', {
				fieldToSplitOut: 'body.orders',
				options: {},
			}),
			{
				...node(senderNodes.create, 'n8n-nodes-delivery-service.deliveryService', {
					resource: 'delivery',
					...(options.batchSize === undefined ? fromOrders : fromJson),
					skipAlreadySent,
					options,
				}),
				credentials,
				onError: 'continueRegularOutput',
			},
		],
		connections: {
			[senderNodes.webhook]: { main: [[connection(senderNodes.split)]] },
			[senderNodes.split]: { main: [[connection(senderNodes.create)]] },
		},
		settings: { executionOrder: 'v1' },
	};
}
