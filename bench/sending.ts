import axios, { isAxiosError } from 'axios';
import { z } from 'zod';

import { waitFor } from '../playground/n8n/progress';
import { startService, type LocalService } from '../playground/service/server';
import { deliveryTemplate, sendingWorkflow, type Sending } from './workflows';
import type { Installation } from './installation';

/** More than any contender sends. */
export const withoutLimit = { requests: 1_000_000, perMs: 1 };

const ownType = 'deliveryServiceApi';
const basicType = 'httpBasicAuth';

type Credentials = Record<string, { id: string; name: string }>;

const resultSchema = z.object({
	pid: z.number(),
	beganAt: z.number(),
	endedAt: z.number(),
	cpuMs: z.number(),
	references: z.array(z.string()),
	others: z.number(),
});

/** What to make items from, and how many. */
export interface Wanted {
	count: number;
	template: object;
	/** The member that names an item. */
	named: 'referenceId' | 'name';
	prefix: string;
}

/** What the workflow itself tells of a run. */
export type RunResult = z.infer<typeof resultSchema>;

/** What became of a run at the service, held against the output. */
export interface Account {
	requests: number;
	refused: number;
	created: number;
	/** More than one delivery for a reference. */
	twice: number;
	/** Created, but not in the output. */
	lost: number;
	/** In the output, but not created; or neither a delivery nor a failure that stopped the run. */
	invented: number;
	/** When each creation request came. */
	times: number[];
}

/**
 * Deliveries to send as they are.
 *
 * @param prefix begins the reference of each
 */
export function deliveries(count: number, prefix: string): Wanted {
	return { count, prefix, template: deliveryTemplate, named: 'referenceId' };
}

/** A service that an installation's workflows send to, and the credentials for it. */
export class Target {
	private constructor(
		private readonly installation: Installation,
		private readonly ownId: string,
		readonly service: LocalService,
		/** As n8n's HTTP Request node refers to its credential. */
		readonly basic: Credentials,
	) {}

	/** Opens a service and stores the credentials. */
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

	/** As our node refers to its credential. */
	get own(): Credentials {
		return { [ownType]: { id: this.ownId, name: 'Own' } };
	}

	/**
	 * Leads our node to an address at which it has sent nothing yet: else its limit would make it
	 * wait for the runs before.
	 */
	async forgetLimit(): Promise<void> {
		const { service, installation } = this;
		const credential = { ...service.credential, baseUrl: await service.anotherAddress() };
		await installation.client.updateCredential(this.ownId, 'Own', ownType, credential);
	}

	/** Ends the service. */
	async close(): Promise<void> {
		await this.service.close();
	}
}

/** A published workflow that sends what it is called with. */
export class Sender {
	private constructor(private readonly url: string) {}

	/** Publishes it. `path` is its address, which no other workflow of this n8n has. */
	static async publish(
		{ client, n8n }: Installation,
		path: string,
		sending: Sending,
	): Promise<Sender> {
		await client.publish(await client.createWorkflow(sendingWorkflow(path, sending)));
		return new Sender(`${n8n.url}/webhook/${path}`);
	}

	/** Has it send. Gives what it tells of that, or undefined when the execution failed. */
	async send(wanted: Wanted): Promise<RunResult | undefined> {
		const { result } = await waitFor('an n8n that is ready', readyTimeoutMs, async () => {
			try {
				const { data } = await axios.post<unknown>(this.url, wanted, { proxy: false });
				return { result: resultSchema.parse(data) };
			} catch (error) {
				const status = isAxiosError(error) ? error.response?.status : undefined;
				if (status === executionFailed) return { result: undefined };
				// It looks for its database just then, and has started nothing.
				if (status === notReady) return undefined;
				throw error;
			}
		});
		return result;
	}
}

const executionFailed = 500;
/** What n8n answers while it has lost sight of its database, for example after a stand-still. */
export const notReady = 503;
const readyTimeoutMs = 60_000;

/** Holds what a service has received against what came out. */
export function accountFor(
	{ control }: LocalService,
	results: ReadonlyArray<RunResult | undefined>,
): Account {
	const requests = control.requests().filter(({ path }) => path === '/v1/deliveries');
	const created = control.deliveries().map(({ record }) => record.referenceId ?? '');
	const distinct = new Set(created);
	const output = results.flatMap((result) => result?.references ?? []);
	const known = new Set(output);
	const others = results.reduce((sum, result) => sum + (result?.others ?? 0), 0);
	return {
		requests: requests.length,
		refused: requests.filter(({ status }) => status === 429).length,
		created: created.length,
		twice: created.length - distinct.size,
		lost: [...distinct].filter((reference) => !known.has(reference)).length,
		invented: output.length - [...known].filter((one) => distinct.has(one)).length + others,
		times: requests.map(({ at }) => at),
	};
}

/** What is wrong with a run that should have created `count` deliveries; nothing when all is well. */
export function faultsOf(account: Account, count: number): string[] {
	const { created, twice, lost, invented, refused } = account;
	return [
		created !== count && `${created} of ${count} deliveries created`,
		twice > 0 && `${twice} created twice`,
		lost > 0 && `${lost} not in the output`,
		invented > 0 && `${invented} in the output that were not created`,
		refused > 0 && `${refused} requests refused with 429`,
	].filter((fault) => fault !== false);
}
