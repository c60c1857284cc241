import axios, { isAxiosError } from 'axios';
import { z } from 'zod';

import { waitFor } from '../playground/n8n/progress';
import { startService, type LocalService } from '../playground/service/server';
import { samples } from '../playground/shopify/samples';
import { deliveryTemplate, sendingWorkflow, type Sending } from './workflows';
import type { Installation } from './installation';

/** A limit that no run reaches. */
export const withoutLimit = { requests: 1_000_000, perMs: 1 };

const ownType = 'deliveryServiceApi';
const basicType = 'httpBasicAuth';

type Credentials = Record<string, { id: string; name: string }>;

const resultSchema = z.object({
	seconds: z.number(),
	standstillMs: z.number(),
	references: z.array(z.string()),
	others: z.number(),
});

/** The items to send. */
interface Wanted {
	count: number;
	template: object;
	/** The field that identifies an item. */
	named: 'referenceId' | 'name';
	prefix: string;
	/** The ID of the first order; the others follow. */
	firstId?: number;
}

/** The result of a run, as the workflow returns it. */
export type RunResult = z.infer<typeof resultSchema>;

/** The deliveries at the service compared with the output of the workflow. */
export interface Account {
	created: number;
	/** The requests that the service rejected with 429. */
	rejected: number;
	/** Created more than once for the same reference. */
	duplicated: number;
	/** Created, but missing in the output. */
	lost: number;
	/** In the output, but not created. */
	invented: number;
	/** The time of each creation request. */
	times: number[];
}

/** Returns finished deliveries to send. Each reference starts with the prefix. */
export function deliveries(count: number, prefix: string): Wanted {
	return { count, prefix, template: deliveryTemplate, named: 'referenceId' };
}

/** Returns Shopify orders to send, numbered from `firstNumber`. */
export function orders(count: number, prefix: string, firstNumber: number): Wanted {
	const template = samples[0] ?? {};
	return { count, prefix, template, named: 'name', firstId: 5_600_000_000_000 + firstNumber };
}

/** A local Delivery Service and its credentials in an n8n. */
export class Target {
	private constructor(
		private readonly installation: Installation,
		private readonly ownId: string,
		readonly service: LocalService,
		/** The credential of the HTTP Request node. */
		readonly basic: Credentials,
	) {}

	/** Starts a service and stores its credentials. */
	static async open(installation: Installation): Promise<Target> {
		const service = await startService();
		const { client } = installation;
		const { apiKeyId: user, apiSecret: password } = service.credential;
		const basicId = await client.createCredential('Basic', basicType, { user, password });
		const ownId = await client.createCredential('Own', ownType, service.credential);
		return new Target(installation, ownId, service, {
			[basicType]: { id: basicId, name: 'Basic' },
		});
	}

	/** The credential of the Delivery Service node. */
	get own(): Credentials {
		return { [ownType]: { id: this.ownId, name: 'Own' } };
	}

	/**
	 * Changes the API key of the credential, so that the node doesn't wait for the requests of earlier
	 * runs.
	 */
	async forgetLimit(): Promise<void> {
		const { service, installation } = this;
		const credential = { ...service.credential, apiKeyId: service.addApiKeyId() };
		await installation.client.updateCredential(this.ownId, 'Own', ownType, credential);
	}

	/** Stops the service. */
	async close(): Promise<void> {
		await this.service.close();
	}
}

/** A published workflow that sends the items it is called with. */
export class Sender {
	private constructor(private readonly url: string) {}

	/** Publishes the workflow at a unique webhook path. By default, n8n doesn't save its executions. */
	static async publish(
		{ client, n8n }: Installation,
		path: string,
		sending: Sending,
		isSaved = false,
	): Promise<Sender> {
		await client.publish(await client.createWorkflow(sendingWorkflow(path, sending, isSaved)));
		return new Sender(`${n8n.url}/webhook/${path}`);
	}

	/** Runs the workflow. Throws an Error if the execution fails. */
	async send(wanted: Wanted): Promise<RunResult> {
		return await waitFor('an n8n that is ready', async () => {
			try {
				const { data } = await axios.post<unknown>(this.url, wanted, { proxy: false });
				return resultSchema.parse(data);
			} catch (error) {
				// n8n is reconnecting to its database and has started nothing.
				if (isAxiosError(error) && error.response?.status === notReady) return undefined;
				throw error;
			}
		});
	}
}

/** n8n's status while it has no connection to its database, e.g. after it was blocked. */
export const notReady = 503;

/** Compares the deliveries at a service with the output of the workflows. */
export function accountFor({ control }: LocalService, results: readonly RunResult[]): Account {
	const requests = control.requests().filter(({ path }) => path === '/v1/deliveries');
	const created = control.deliveries().map(({ record }) => record.referenceId ?? '');
	const distinct = new Set(created);
	const output = results.flatMap(({ references }) => references);
	const known = new Set(output);
	const others = results.reduce((sum, result) => sum + result.others, 0);
	return {
		created: created.length,
		rejected: requests.filter(({ status }) => status === 429).length,
		duplicated: created.length - distinct.size,
		lost: [...distinct].filter((reference) => !known.has(reference)).length,
		invented: output.length - [...known].filter((one) => distinct.has(one)).length + others,
		times: requests.map(({ at }) => at),
	};
}

/** Returns the errors of a run that should have created this many deliveries. */
export function errorsOf(account: Account, count: number): string[] {
	const { created, duplicated, lost, invented, rejected } = account;
	return [
		created !== count && `${created} of ${count} deliveries created`,
		duplicated > 0 && `${duplicated} created twice`,
		lost > 0 && `${lost} missing in the output`,
		invented > 0 && `${invented} in the output that were not created`,
		rejected > 0 && `${rejected} requests rejected with 429`,
	].filter((error) => error !== false);
}
