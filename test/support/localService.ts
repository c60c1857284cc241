import http from 'node:http';
import type { AddressInfo } from 'node:net';

import axios, { type AxiosInstance } from 'axios';
import type { IDataObject } from 'n8n-workflow';

import type { DeliveryRecord } from '../../playground/service/shapes';
import {
	type LocalService,
	type ServiceOptions,
	startService,
} from '../../playground/service/server';
import { deliveries } from './sampleDelivery';

/** A service for one test file, with a client for its API and one for its control. */
export interface OpenLocalService {
	readonly service: LocalService;
	/** Sends the credential of the service; no status is an error. */
	readonly api: AxiosInstance;
	/** Calls /control. */
	readonly remote: AxiosInstance;
}

/** Starts a service and creates its clients. */
export async function openLocalService(options: ServiceOptions = {}): Promise<OpenLocalService> {
	const service = await startService(options);
	const { apiKeyId: username, apiSecret: password } = service.credential;
	const common = { proxy: false, validateStatus: null, maxRedirects: 0 } as const;
	return {
		service,
		api: axios.create({ ...common, baseURL: service.url, auth: { username, password } }),
		remote: axios.create({ ...common, baseURL: `${service.url}/control` }),
	};
}

/** The fields of a success response that the tests read. */
export interface Created {
	readonly payload: ReadonlyArray<Omit<DeliveryRecord, 'index'> & { index?: number }>;
}

/** The ID of the first delivery of a response. @throws Error if there is none */
export function firstId({ payload }: Created): string {
	const [record] = payload;
	if (record === undefined) throw new Error('No delivery was created');
	return record.id;
}

/** A create request for a number of deliveries with the references R0, R1, ... */
export function creation(count = 1): { deliveries: IDataObject[] } {
	return { deliveries: deliveries(count) };
}

/** A request that a subscriber received. */
export interface Received {
	readonly method: string;
	readonly url: string;
	readonly contentType: string;
	readonly body: unknown;
}

/** An HTTP server that is subscribed to events. */
export interface Subscriber {
	readonly url: string;
	readonly received: Received[];
	/** Resolves once this number of events has arrived. */
	arrived(count: number): Promise<void>;
	close(): Promise<void>;
}

/** Starts a subscriber that responds to every event with this status and these headers. */
export async function startSubscriber(
	status = 200,
	headers: Record<string, string> = {},
): Promise<Subscriber> {
	const received: Received[] = [];
	let waiting: Array<() => void> = [];
	const server = http.createServer((req, res) => {
		const chunks: Buffer[] = [];
		req.on('data', (chunk: Buffer) => chunks.push(chunk));
		req.on('end', () => {
			received.push({
				method: req.method ?? '',
				url: req.url ?? '',
				contentType: req.headers['content-type'] ?? '',
				body: jsonOrText(Buffer.concat(chunks).toString()),
			});
			res.writeHead(status, headers).end();
			const resumed = waiting;
			waiting = [];
			for (const resume of resumed) resume();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/webhook/a?event=1&sig=x%2Fy`,
		received,
		arrived: async (count) => {
			while (received.length < count) await new Promise<void>((resume) => waiting.push(resume));
		},
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function jsonOrText(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** Resolves once the condition holds. If it never does, the test times out. */
export async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resume) => setTimeout(resume, 5));
}
