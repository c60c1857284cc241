import { z } from 'zod';

import { hasEnded, workflowFileSchema, type WorkflowFile } from '../../../playground/n8n/client';
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

/** A real n8n beside the local service and a shop, with the examples. */
export interface ShopWorld {
	readonly installation: Installation;
	readonly shopify: Shopify;
	/** Stores an example with what its user fills in. Gives its id. */
	store(example: keyof typeof examples, filled?: FilledIn, more?: Credentials): Promise<string>;
	/** Stores and publishes an example. Gives its id. */
	publish(example: keyof typeof examples, filled?: FilledIn): Promise<string>;
	/** The rows of a data table with these values. */
	rows(table: TableName, wanted?: Row): Promise<Row[]>;
	/** Waits for the only row of a data table with these values. */
	row(table: TableName, wanted: Row): Promise<Row>;
	/** Does work, and waits until a workflow has run to its end so often because of it. */
	afterRuns<T>(workflowId: string, count: number, work: () => T | Promise<T>): Promise<T>;
	close(): Promise<void>;
}

/** Starts n8n of a version so that it finds the shop. Tables are made where n8n's node cannot. */
export async function openShopWorld(name: HostName): Promise<ShopWorld> {
	const shopify = await startShopify();
	let installation: Installation | undefined;
	const close = async () => {
		await installation?.close();
		await shopify.close();
	};
	try {
		const opened = (installation = await openInstallation(name, shopify.env));
		const { client, service } = opened;
		const credentials = await storeCredentials(client, service, shopify);
		const tableIds = name === '1.123' ? await makeTables(opened) : undefined;
		const rows: ShopWorld['rows'] = async (table, wanted = {}) => {
			const all = await client.tableRows(table);
			return all.filter((row) =>
				Object.entries(wanted).every(([key, value]) => row[key] === value),
			);
		};
		const store: ShopWorld['store'] = async (example, filled = {}, more = {}) => {
			const all = { ...filledIn(shopify), ...filled };
			const workflow = await readExample(examples[example], { ...credentials, ...more }, all);
			return await client.createWorkflow(tableIds ? withTables(workflow, tableIds) : workflow);
		};
		return {
			installation: opened,
			shopify,
			store,
			async publish(example, filled) {
				const id = await store(example, filled);
				await client.publish(id);
				return id;
			},
			rows,
			async row(table, wanted) {
				return await waitFor(`a row ${JSON.stringify(wanted)} in ${table}`, timeoutMs, async () => {
					const [row, ...others] = await rows(table, wanted);
					if (others.length > 0) throw new Error(`${others.length + 1} rows in ${table}`);
					return row;
				});
			},
			async afterRuns(workflowId, count, work) {
				const ended = async () => (await client.executions(workflowId)).filter(hasEnded).length;
				const before = await ended();
				const result = await work();
				await waitFor(`${count} more executions`, timeoutMs, async () => {
					return (await ended()) >= before + count || undefined;
				});
				return result;
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

const columnsShape = z.object({
	tableName: z.string(),
	columns: z.object({
		column: z.array(z.object({ name: z.string(), type: z.string().default('string') })),
	}),
});

/** Makes the tables by hand, as a user of n8n 1.x must. Gives their ids by their names. */
async function makeTables({ client }: Installation): Promise<Map<string, string>> {
	const ids = new Map<string, string>();
	for (const example of [examples.orders, examples.updates]) {
		for (const { type, parameters } of (await readExample(example, {}, {})).nodes) {
			if (type !== dataTable || parameters.resource !== 'table') continue;
			const { tableName, columns } = columnsShape.parse(parameters);
			if (ids.has(tableName)) continue;
			const types = Object.fromEntries(columns.column.map((one) => [one.name, one.type]));
			ids.set(tableName, await client.createTable(tableName, types));
		}
	}
	return ids;
}

/** Replaces in the file what docs/shopify.md tells users of n8n 1.x to replace before they import it. */
function withTables(workflow: WorkflowFile, ids: ReadonlyMap<string, string>): WorkflowFile {
	let text = JSON.stringify(workflow, null, '\t').replaceAll('"mode": "name"', '"mode": "id"');
	for (const [name, id] of ids) text = text.replaceAll(`"value": "${name}"`, `"value": "${id}"`);
	return workflowFileSchema.parse(JSON.parse(text));
}
