import {
	hasEnded,
	isRunning,
	workflowFileSchema,
	type N8nClient,
	type WorkflowFile,
} from '../../../playground/n8n/client';
import type { HostName } from '../../../playground/n8n/host';
import { waitFor } from '../../../playground/n8n/progress';
import {
	deliveriesTable,
	examples,
	filledIn,
	nodeNames,
	readExample,
	storeCredentials,
	type Credentials,
	type FilledIn,
} from '../../../playground/examples';
import { startMailbox, type Email, type Mailbox } from '../../../playground/mailbox/mailbox';
import { startShopify, type Shopify } from '../../../playground/shopify/server';
import { openInstallation, type Installation } from './installation';
import { inTheMorning } from './zones';

type Row = Record<string, unknown>;

type Deliveries = ReturnType<Installation['service']['control']['deliveries']>;

/** A real n8n with the example workflows, the local service, a shop and the owner's mailbox. */
export interface ShopEnvironment {
	readonly installation: Installation;
	readonly shopify: Shopify;
	readonly credentials: Credentials;
	/** Stores an example with the values that a user fills in. Returns the workflow ID. */
	store(
		example: keyof typeof examples,
		filled?: FilledIn,
		otherCredentials?: Credentials,
	): Promise<string>;
	/** Stores and publishes an example. Returns the workflow ID. */
	publish(example: keyof typeof examples, filled?: FilledIn): Promise<string>;
	/** Creates the table of the examples, as a user does. Not in n8n 1.x. */
	createTable(): Promise<void>;
	/** Returns the rows of the data table with the given values. */
	rows(values?: Row): Promise<Row[]>;
	/** Waits for the only row of the data table with the given values. */
	row(values: Row): Promise<Row>;
	/** The emails to the owner that contain a text, oldest first. */
	emails(text: string): Email[];
	/** Waits for the first email to the owner that contains a text. */
	email(text: string): Promise<Email>;
	/** Runs a function when no execution is running, then waits for the given number that it causes. */
	afterExecutions<T>(workflowId: string, count: number, run: () => T | Promise<T>): Promise<T>;
	close(): Promise<void>;
}

/** A real n8n with access to a shop and a mailbox, with the credentials of all stand-ins. */
export interface ShopInstallation extends Pick<
	ShopEnvironment,
	'installation' | 'shopify' | 'close'
> {
	readonly credentials: Credentials;
	readonly mailbox: Mailbox;
}

/** Starts a shop and n8n with access to it. */
export async function openShopInstallation(name: HostName): Promise<ShopInstallation> {
	const shopify = await startShopify();
	const mailbox = await startMailbox();
	let installation: Installation | undefined;
	const close = async () => {
		await installation?.close();
		await shopify.close();
		await mailbox.close();
	};
	try {
		installation = await openInstallation(name, {
			...shopify.env,
			GENERIC_TIMEZONE: inTheMorning,
		});
		const { client, service } = installation;
		const credentials = await storeCredentials(client, { service, shopify, mailbox });
		return { installation, shopify, mailbox, credentials, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/** Runs a function when no execution is running, then waits for the given number that it causes. */
export async function afterExecutions<T>(
	client: N8nClient,
	workflowId: string,
	count: number,
	run: () => T | Promise<T>,
): Promise<T> {
	const countEnded = async () => (await client.executions(workflowId)).filter(hasEnded).length;
	await waitFor('the end of the executions before', async () => {
		return !(await client.executions(workflowId)).some(isRunning);
	});
	const before = await countEnded();
	const result = await run();
	await waitFor(`${count} more executions`, async () => {
		return (await countEnded()) >= before + count;
	});
	return result;
}

/** The deliveries of an order, whole or by fulfillment order. */
export function deliveriesOf(
	{ installation }: Pick<ShopEnvironment, 'installation'>,
	{ name }: { name: string },
): Deliveries {
	return installation.service.control.deliveries().filter(({ record: { referenceId = '' } }) => {
		return referenceId === name || referenceId.startsWith(`${name}-`);
	});
}

/** A day that few years have: a schedule would add an execution to those that a test waits for. */
const rarely = { interval: [{ field: 'cronExpression', expression: '0 0 29 2 *' }] };

/** The workflow without what depends on the time: its schedules, and the pauses between requests. */
function withoutTime(file: WorkflowFile): WorkflowFile {
	const text = JSON.stringify(file).replaceAll('"batchInterval":500', '"batchInterval":0');
	const { nodes, ...rest } = workflowFileSchema.parse(JSON.parse(text));
	const quick = (node: WorkflowFile['nodes'][number]) => ({
		...node,
		...('retryOnFail' in node && { waitBetweenTries: 100 }),
		...(node.type === 'n8n-nodes-base.scheduleTrigger' && {
			parameters: { ...node.parameters, rule: rarely },
		}),
	});
	return { ...rest, nodes: nodes.map(quick) };
}

/** Starts n8n with access to a shop and a mailbox, for the examples. */
export async function openShopEnvironment(name: HostName): Promise<ShopEnvironment> {
	const { installation, shopify, mailbox, credentials, close } = await openShopInstallation(name);
	const { client } = installation;
	const rows: ShopEnvironment['rows'] = async (values = {}) => {
		const all = await client.tableRows(deliveriesTable);
		return all.filter((row) => Object.entries(values).every(([key, value]) => row[key] === value));
	};
	const store: ShopEnvironment['store'] = async (example, filled = {}, otherCredentials = {}) => {
		const values = { ...filledIn(shopify), ...filled };
		const all = { ...credentials, ...otherCredentials };
		return await client.createWorkflow(
			withoutTime(await readExample(examples[example], all, values)),
		);
	};
	const emails: ShopEnvironment['emails'] = (text) =>
		mailbox.emails().filter((email) => `${email.subject}\n${email.text}`.includes(text));
	return {
		installation,
		shopify,
		credentials,
		store,
		async publish(example, filled) {
			const id = await store(example, filled);
			await client.publish(id);
			return id;
		},
		async createTable() {
			const { status, data } = await client.run(await store('table'), nodeNames.createTable);
			if (status !== 'success') throw new Error(data.resultData.error?.message ?? 'No table');
		},
		rows,
		async row(values) {
			return await waitFor(`a row ${JSON.stringify(values)}`, async () => {
				const [row, ...others] = await rows(values);
				if (others.length > 0) throw new Error(`Expected 1 row, got ${others.length + 1}`);
				return row;
			});
		},
		emails,
		email: async (text) => await waitFor(`an email with "${text}"`, () => emails(text)[0]),
		afterExecutions: async (workflowId, count, run) =>
			await afterExecutions(client, workflowId, count, run),
		close,
	};
}
