import { z } from 'zod';

import {
	hasEnded,
	workflowFileSchema,
	type N8nClient,
	type WorkflowFile,
} from '../../../playground/n8n/client';
import type { HostName } from '../../../playground/n8n/host';
import { waitFor } from '../../../playground/n8n/progress';
import {
	examples,
	filledIn,
	readExample,
	storeCredentials,
	tables,
	type Credentials,
	type FilledIn,
} from '../../../playground/examples';
import { startShopify, type Shopify } from '../../../playground/shopify/server';
import { openInstallation, type Installation } from './installation';

const timeoutMs = 120_000;
const dataTable = 'n8n-nodes-base.dataTable';

type Row = Record<string, unknown>;
type TableName = (typeof tables)[keyof typeof tables];

/** A real n8n with the example workflows, the local service and a shop. */
export interface ShopEnvironment {
	readonly installation: Installation;
	readonly shopify: Shopify;
	/** Stores an example with the values that a user fills in. Returns the workflow ID. */
	store(
		example: keyof typeof examples,
		filled?: FilledIn,
		otherCredentials?: Credentials,
	): Promise<string>;
	/** Stores and publishes an example. Returns the workflow ID. */
	publish(example: keyof typeof examples, filled?: FilledIn): Promise<string>;
	/** Returns the rows of a data table with the given values. */
	rows(table: TableName, values?: Row): Promise<Row[]>;
	/** Waits for the only row of a data table with the given values. */
	row(table: TableName, values: Row): Promise<Row>;
	/** Runs a function, then waits for the given number of executions that it causes. */
	afterExecutions<T>(workflowId: string, count: number, run: () => T | Promise<T>): Promise<T>;
	close(): Promise<void>;
}

/** A real n8n with access to a shop, with the credentials of both stand-ins. */
export interface ShopInstallation extends Pick<
	ShopEnvironment,
	'installation' | 'shopify' | 'close'
> {
	readonly credentials: Credentials;
}

/** Starts a shop and n8n with access to it. */
export async function openShopInstallation(name: HostName): Promise<ShopInstallation> {
	const shopify = await startShopify();
	let installation: Installation | undefined;
	const close = async () => {
		await installation?.close();
		await shopify.close();
	};
	try {
		installation = await openInstallation(name, shopify.env);
		const { client, service } = installation;
		const credentials = await storeCredentials(client, service, shopify);
		return { installation, shopify, credentials, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/** Runs a function, then waits for the given number of executions that it causes. */
export async function afterExecutions<T>(
	client: N8nClient,
	workflowId: string,
	count: number,
	run: () => T | Promise<T>,
): Promise<T> {
	const countEnded = async () => (await client.executions(workflowId)).filter(hasEnded).length;
	const before = await countEnded();
	const result = await run();
	await waitFor(`${count} more executions`, timeoutMs, async () => {
		return (await countEnded()) >= before + count || undefined;
	});
	return result;
}

/** Starts n8n with access to the shop. Creates the data tables where n8n's node can't. */
export async function openShopEnvironment(name: HostName): Promise<ShopEnvironment> {
	const opened = await openShopInstallation(name);
	const { installation, shopify, credentials, close } = opened;
	try {
		const { client } = installation;
		const tableIds = name === '1.123' ? await createTables(installation) : undefined;
		const rows: ShopEnvironment['rows'] = async (table, values = {}) => {
			const all = await client.tableRows(table);
			return all.filter((row) =>
				Object.entries(values).every(([key, value]) => row[key] === value),
			);
		};
		const store: ShopEnvironment['store'] = async (example, filled = {}, otherCredentials = {}) => {
			const values = { ...filledIn(shopify), ...filled };
			const workflow = await readExample(
				examples[example],
				{ ...credentials, ...otherCredentials },
				values,
			);
			return await client.createWorkflow(tableIds ? withTableIds(workflow, tableIds) : workflow);
		};
		return {
			installation,
			shopify,
			store,
			async publish(example, filled) {
				const id = await store(example, filled);
				await client.publish(id);
				return id;
			},
			rows,
			async row(table, values) {
				return await waitFor(`a row ${JSON.stringify(values)} in ${table}`, timeoutMs, async () => {
					const [row, ...others] = await rows(table, values);
					if (others.length > 0)
						throw new Error(`Expected 1 row in ${table}, got ${others.length + 1}`);
					return row;
				});
			},
			afterExecutions: async (workflowId, count, run) =>
				await afterExecutions(client, workflowId, count, run),
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

const tableSchema = z.object({
	tableName: z.string(),
	columns: z.object({
		column: z.array(z.object({ name: z.string(), type: z.string().default('string') })),
	}),
});

/** Creates the tables manually, as users of n8n 1.x must. Returns their IDs by name. */
async function createTables({ client }: Installation): Promise<Map<string, string>> {
	const ids = new Map<string, string>();
	for (const example of [examples.orders, examples.updates]) {
		for (const { type, parameters } of (await readExample(example, {}, {})).nodes) {
			if (type !== dataTable || parameters.resource !== 'table') continue;
			const { tableName, columns } = tableSchema.parse(parameters);
			if (ids.has(tableName)) continue;
			const types = Object.fromEntries(columns.column.map((column) => [column.name, column.type]));
			ids.set(tableName, await client.createTable(tableName, types));
		}
	}
	return ids;
}

/** Makes the replacements that docs/shopify.md requires from users of n8n 1.x before the import. */
function withTableIds(workflow: WorkflowFile, ids: ReadonlyMap<string, string>): WorkflowFile {
	let text = JSON.stringify(workflow, null, '\t').replaceAll('"mode": "name"', '"mode": "id"');
	for (const [name, id] of ids) text = text.replaceAll(`"value": "${name}"`, `"value": "${id}"`);
	return workflowFileSchema.parse(JSON.parse(text));
}
