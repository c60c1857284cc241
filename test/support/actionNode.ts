import axios from 'axios';
import * as n8nWorkflow from 'n8n-workflow';
import type { INodeExecutionData, INodeParameters, INodeType, IDataObject } from 'n8n-workflow';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as zod from 'zod/v4';

import { realClock, type Clock } from '../../nodes/DeliveryService/common/clock';
import { filterOptions } from '../../nodes/DeliveryService/operations/fields/filters';
import { startService, type LocalService } from '../../playground/service/server';
import {
	addNodeType,
	deduplicationStore,
	runNode,
	type NodeRun,
	type RunNodeOptions,
} from './engine/engine';
import { deliveries } from './sampleDelivery';

/** A request that the service received, without the parts that differ between runs. */
interface Received {
	method: string;
	path: string;
	body: unknown;
}

/** The local service of a test file, and the action node connected to it. */
export interface Setup {
	readonly control: LocalService['control'];
	readonly credential: LocalService['credential'];
	/** Runs the action node with these parameters. */
	run(parameters: INodeParameters, more?: Partial<RunNodeOptions>): Promise<NodeRun>;
	/** The requests that the service received, of all methods or of one, in order. */
	received(method?: string): Received[];
	/** Creates deliveries R0, R1, ... without the node. @returns their IDs */
	seed(count: number): Promise<string[]>;
	/** Subscribes a URL to an event without the node. */
	subscribe(url: string, action: number, companyId?: number): Promise<void>;
	/** The bodies of the creation requests that the service received, in order. */
	creations(): unknown[];
	/** The references of the existing deliveries, in order. */
	existing(): unknown[];
}

/** Starts a service before the tests of a file, resets it before each test, and closes it at the end. */
export function setUp(): Setup {
	let running: LocalService | undefined;
	const service = () => {
		if (!running) throw new Error('The service runs only during tests.');
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

/** The indexes of the input items that the output items are paired with, in output order. */
export function pairedItems(items: readonly INodeExecutionData[]): unknown[] {
	return items.map(({ pairedItem }) =>
		typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : pairedItem,
	);
}

/** The pickup fields of the node, with the pickup of the sample delivery. */
export const pickupFields = {
	pickupName: 'Main Street Store',
	pickupEmail: 'store@shop.example',
	pickupLocationType: 'address',
	pickupAddress: '12 Main Street, Springfield',
};

/** Parameters that create deliveries from Shopify orders with Skip Already Sent. */
export const fromOrders: INodeParameters = {
	resource: 'delivery',
	operation: 'createFromOrders',
	skipAlreadySent: true,
	...pickupFields,
};

/** Parameters that create deliveries from JSON with Skip Already Sent. */
export function createOnce(
	options: INodeParameters = {},
	more: INodeParameters = {},
): INodeParameters {
	return {
		resource: 'delivery',
		operation: 'create',
		source: 'json',
		skipAlreadySent: true,
		options: { batchSize: 100, ...options },
		...more,
	};
}

/** The filters. *Tags* is also the name of an order option, which tests mean more often. */
const filterNames = filterOptions.map(({ name }) => name).filter((name) => name !== 'tags');

/** Parameters with options for orders, each where it belongs. */
export function orderParameters(options: INodeParameters): INodeParameters {
	const { fallbackEmail, ...others } = options;
	const isFilter = ([name]: [string, unknown]) => filterNames.includes(name);
	const entries = Object.entries(others);
	return {
		...(fallbackEmail !== undefined && { fallbackEmail }),
		filters: Object.fromEntries(entries.filter(isFilter)),
		orderOptions: Object.fromEntries(entries.filter((entry) => !isFilter(entry))),
	};
}

/**
 * Restarts n8n: the action node loses what it had in memory, such as the request count of the rate
 * limit. The deduplication store keeps its entries, as a database does, except for the lock of a killed
 * process, whose lease has expired by then.
 */
export function restart(): void {
	restartWith(realClock);
}

/** Restarts n8n like {@link restart}, with a clock whose waits take no time. */
export function restartWithoutWaits(): void {
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
		// Keeps the engine's instances of n8n's modules, so that it recognizes its own errors.
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		jest.doMock('zod/v4', () => zod);
		jest.doMock('../../nodes/DeliveryService/common/clock', () => ({
			...jest.requireActual<object>('../../nodes/DeliveryService/common/clock'),
			realClock: clock,
		}));
		const loaded: unknown = load('../../nodes/DeliveryService/DeliveryService.node');
		const { DeliveryService } = nodeModuleSchema.parse(loaded);
		addNodeType('n8n-nodes-delivery-service.deliveryService', new DeliveryService());
	});
}

const nodeModuleSchema = zod.object({
	DeliveryService: zod.custom<new () => INodeType>((value) => typeof value === 'function'),
});

/** The outcome of each item: `created`, the reason of a skipped item, or the outcome of an error item. */
export function outcomesOf(items: readonly INodeExecutionData[]): unknown[] {
	return items.map(({ json }) => {
		const { outcome, reason, error } = outcomeSchema.parse(json);
		return error?.outcome ?? (reason || outcome);
	});
}

const outcomeSchema = zod.object({
	outcome: zod.string().optional(),
	reason: zod.string().nullish(),
	error: zod.object({ outcome: zod.string() }).optional(),
});

/** Waits until a condition holds. @throws Error after 30 seconds */
export async function until(condition: () => boolean): Promise<void> {
	const deadline = Date.now() + 30_000;
	while (!condition()) {
		if (Date.now() > deadline) throw new Error('The condition did not hold within 30 s');
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
