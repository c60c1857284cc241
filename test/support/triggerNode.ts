import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import axios from 'axios';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startService, type LocalService } from '../../playground/service/server';
import {
	deduplicationStore,
	openTrigger,
	type OpenTriggerOptions,
	type Received,
	type Trigger,
} from './engine/engine';

/** A subscription, without the parts that differ between runs. */
export interface Hook {
	url: string;
	action: number;
	status: string;
}

/** The local service of a test file, and triggers connected to it. */
export interface TriggerSetup {
	readonly control: LocalService['control'];
	readonly credential: LocalService['credential'];
	/** Opens a trigger for updated deliveries, or with these parameters. */
	open: (parameters?: INodeParameters, more?: Partial<OpenTriggerOptions>) => Promise<Trigger>;
	/** The subscriptions at the service, sorted by event and URL. */
	list: () => Hook[];
	/** The first subscription to an event. @throws Error if there is none */
	hook: (action: number) => Hook;
	/** Subscribes a URL as another program would. */
	subscribe: (url: string, action?: number) => Promise<void>;
	/** The methods of the requests that the service received, in order. */
	requests: () => string[];
	/** The warnings that the trigger logged. */
	warnings: () => string[];
}

/** Starts a service before the tests of a file, resets it before each test, and closes it at the end. */
export function setUpTriggers(): TriggerSetup {
	let running: LocalService | undefined;
	let warn: jest.SpyInstance | undefined;
	const opened: Trigger[] = [];
	const service = () => {
		if (!running) throw new Error('The service runs only during tests.');
		return running;
	};
	beforeAll(async () => {
		running = await startService();
	});
	beforeEach(() => {
		service().control.reset();
		deduplicationStore.reset();
		warn = jest.spyOn(Container.get(Logger), 'warn');
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		for (const trigger of opened.splice(0)) {
			await trigger.deactivate();
			await trigger.stopListening();
		}
	});
	afterAll(async () => await service().close());
	const list = () =>
		service()
			.control.webhooks()
			.map(({ url, action, status }) => ({ url, action, status }))
			.sort((one, other) => one.action - other.action || (one.url < other.url ? -1 : 1));
	return {
		get control() {
			return service().control;
		},
		get credential() {
			return service().credential;
		},
		open: async (parameters = {}, more = {}) => {
			const trigger = await openTrigger({ parameters, credential: service().credential, ...more });
			opened.push(trigger);
			return trigger;
		},
		list,
		hook: (action) => {
			const found = list().find((hook) => hook.action === action);
			if (!found) throw new Error(`Nothing is subscribed to event ${action}.`);
			return found;
		},
		subscribe: async (url, action = 3) => {
			const { baseUrl, companyId, apiKeyId, apiSecret } = service().credential;
			await axios.post(
				`${baseUrl}/hooks/companies/${companyId}`,
				new URLSearchParams({ url, action: String(action) }),
				{ auth: { username: apiKeyId, password: apiSecret }, proxy: false },
			);
		},
		requests: () =>
			service()
				.control.requests()
				.map(({ method }) => method),
		warnings: () => (warn?.mock.calls ?? []).map(([message]) => String(message)),
	};
}

/** The payload of an update-task event from the API document. */
export const updated = { id: 'T1', status: 'delivered', company_id: '1001', city_id: '8' };

/** The JSON of the items that a call passed to the workflow; undefined if it started no execution. */
export function itemsOf({ workflowData }: Received): IDataObject[] | undefined {
	return workflowData?.[0]?.map(({ json }) => json);
}

/** The URL with a changed query. Undefined removes a parameter. */
export function withQuery(
	originalUrl: string,
	changes: Record<string, string | undefined>,
): string {
	const url = new URL(originalUrl);
	for (const [name, value] of Object.entries(changes)) {
		if (value === undefined) url.searchParams.delete(name);
		else url.searchParams.set(name, value);
	}
	return url.toString();
}
