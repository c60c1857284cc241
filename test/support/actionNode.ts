import axios from 'axios';
import * as n8nWorkflow from 'n8n-workflow';
import type { INodeExecutionData, INodeParameters, INodeType, IDataObject } from 'n8n-workflow';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as zod from 'zod';

import { realClock, type Clock } from '../../nodes/DeliveryService/common/clock';
import { startService, type LocalService } from '../../playground/service/server';
import {
	addNodeType,
	deduplicationStore,
	runNode,
	type NodeRun,
	type RunNodeOptions,
} from './engine/engine';
import { deliveries } from './sampleDelivery';

/** A request as the service received it, without what differs from run to run. */
interface Received {
	method: string;
	path: string;
	body: unknown;
}

/** The local service of a test file, and the action node that is connected to it. */
export interface Setup {
	readonly control: LocalService['control'];
	readonly credential: LocalService['credential'];
	/** Runs the action node with these parameters. */
	run(parameters: INodeParameters, more?: Partial<RunNodeOptions>): Promise<NodeRun>;
	/** The requests that the service received, all or of one method, in order. */
	received(method?: string): Received[];
	/** Creates so many deliveries without the node, with the references R0, R1, ..., and gives their IDs. */
	seed(count: number): Promise<string[]>;
	/** Subscribes a URL to an event without the node. */
	subscribe(url: string, action: number, companyId?: number): Promise<void>;
	/** The bodies of the creation requests that the service received, in order. */
	creations(): unknown[];
	/** The references of the deliveries that the service has, in order. */
	existing(): unknown[];
}

/** Starts a service before the tests of the file, empties it before each, and closes it after. */
export function setUp(): Setup {
	let running: LocalService | undefined;
	const service = () => {
		if (!running) throw new Error('The service runs only while tests do.');
		return running;
	};
	const received = (method?: string) =>
		service()
			.control.requests()
			.filter((request) => method === undefined || request.method === method)
			.map(({ method, path, body }) => ({ method, path, body }));
	const post = async (path: string, body: object) => {
		const { baseUrl, apiKeyId: username, apiSecret: password } = service().credential;
		await axios.post(`${baseUrl}${path}`, body, { auth: { username, password }, proxy: false });
	};
	beforeAll(async () => {
		running = await startService();
	});
	beforeEach(() => {
		service().control.reset();
		deduplicationStore.reset();
	});
	afterAll(async () => await service().close());
	return {
		get control() {
			return service().control;
		},
		get credential() {
			return service().credential;
		},
		run: async (parameters, more) =>
			await runNode({
				node: 'deliveryService',
				parameters,
				credential: service().credential,
				...more,
			}),
		received,
		seed: async (count) => {
			await post('/v1/deliveries', { deliveries: deliveries(count) });
			return service()
				.control.deliveries()
				.map(({ record }) => record.id);
		},
		subscribe: async (url, action, companyId = service().credential.companyId) =>
			await post(
				`/hooks/companies/${companyId}`,
				new URLSearchParams({ url, action: `${action}` }),
			),
		creations: () => received('POST').map(({ body }) => body),
		existing: () =>
			service()
				.control.deliveries()
				.map(({ record }) => record.referenceId),
	};
}

/** The JSON of output items. */
export function jsonOf(items: readonly INodeExecutionData[]): IDataObject[] {
	return items.map(({ json }) => json);
}

/** The numbers of the input items that output items belong to, in output order. */
export function pairedItems(items: readonly INodeExecutionData[]): unknown[] {
	return items.map(({ pairedItem }) =>
		typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : pairedItem,
	);
}

/** The pickup fields of the node, filled in for the pickup of the sample delivery. */
export const pickupFields = {
	pickupName: 'Main Street Store',
	pickupEmail: 'store@shop.example',
	pickupLocationType: 'address',
	pickupAddress: '12 Main Street, Springfield',
};

/**
 * The node as it creates the deliveries that come in, each only once, and does not wait for a
 * service that is busy.
 */
export function createOnce(
	options: INodeParameters = {},
	more: INodeParameters = {},
): INodeParameters {
	return {
		resource: 'delivery',
		operation: 'create',
		source: 'json',
		skipAlreadySent: true,
		options: { batchSize: 100, maxRetrySeconds: 0, ...options },
		...more,
	};
}

/**
 * Restarts n8n: what the action node kept in memory is gone, such as the requests it counted. The
 * de-duplication store keeps what it has, as a database does, except for a lock that a killed process
 * has left: so much time has passed that it counts as abandoned.
 */
export function restart(): void {
	restartWith(realClock);
}

/** Restarts n8n as {@link restart} does, with a clock by which no wait takes time. */
export function restartInHaste(): void {
	let passedMs = 0;
	restartWith({
		now: () => Date.now() + passedMs,
		wait: async (ms, signal) => {
			if (!signal?.aborted) passedMs += ms;
			await nextTurn();
		},
	});
}

function restartWith(clock: Clock): void {
	deduplicationStore.clearNodes();
	const load = createRequire(__filename);
	jest.isolateModules(() => {
		// n8n's own modules stay the engine's, so that its errors are still known as its own.
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		jest.doMock('zod', () => zod);
		jest.doMock('../../nodes/DeliveryService/common/clock', () => ({ realClock: clock }));
		const loaded: unknown = load('../../nodes/DeliveryService/DeliveryService.node');
		const { DeliveryService } = nodeModuleSchema.parse(loaded);
		addNodeType('n8n-nodes-delivery-service.deliveryService', new DeliveryService());
	});
}

const nodeModuleSchema = zod.object({
	DeliveryService: zod.custom<new () => INodeType>((value) => typeof value === 'function'),
});

/** What became of each item: `created`, why it was skipped, or the outcome of an error item. */
export function outcomesOf(items: readonly INodeExecutionData[]): unknown[] {
	return items.map(({ json }) => {
		const outcome = outcomeSchema.parse(json);
		return (
			outcome.error?.outcome ?? outcome.reason ?? (outcome.id === undefined ? undefined : 'created')
		);
	});
}

const outcomeSchema = zod.object({
	id: zod.string().optional(),
	reason: zod.string().optional(),
	error: zod.object({ outcome: zod.string() }).optional(),
});

/** Waits until something has happened. */
export async function until(hasHappened: () => boolean): Promise<void> {
	const deadline = Date.now() + 30_000;
	while (!hasHappened()) {
		if (Date.now() > deadline) throw new Error('It has not happened within 30 s');
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
