import { createHash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { DataDeduplicationService } from 'n8n-core';
import {
	jsonParse,
	tryToParseDateTime,
	type DeduplicationItemTypes,
	type DeduplicationMode,
	type DeduplicationScope,
	type ICheckProcessedContextData,
	type ICheckProcessedOptions,
	type IDataDeduplicator,
	type IDeduplicationOutput,
} from 'n8n-workflow';
import { z } from 'zod';
import { processOf } from './hostProcess';

const rowSchema = z.object({
	mode: z.enum(['entries', 'latestIncrementalKey', 'latestDate']),
	data: z.union([z.array(z.union([z.string(), z.number()])), z.string(), z.number()]),
});

type Row = z.infer<typeof rowSchema>;

/** A method of n8n's de-duplication service. */
export type StoreOperation =
	| 'checkProcessedAndRecord'
	| 'removeProcessed'
	| 'clearAllProcessedItems'
	| 'getProcessedDataCount';

/** What goes wrong at a call of the store; see `DeduplicationStore.addFault`. */
export interface StoreFault {
	/** `fail`: the call rejects. `kill`: the n8n process of that execution dies at this point. */
	kind: 'fail' | 'kill';
	/** Before the call's work is done, or after it was written. */
	when: 'before' | 'after';
	/** Only calls of this method; any by default. */
	operation?: StoreOperation;
	/** Only calls for this scope; any by default. */
	scope?: DeduplicationScope;
	/** Let this many matching calls pass first (0 by default). */
	skip?: number;
	/** How many calls it strikes (1 by default). */
	times?: number;
	/** The error of `fail`; a database error by default. */
	error?: Error;
}

/** A call that reached the store. */
export interface StoreCall {
	operation: StoreOperation;
	scope: DeduplicationScope;
	workflowId: string;
	nodeId?: string;
	items: DeduplicationItemTypes[];
}

/** The store's whole content, to be given back to `restore`. */
export type StoreSnapshot = ReadonlyMap<string, string>;

/**
 * n8n's de-duplication store with a table in memory in place of the database: one row a workflow and
 * context, values kept as MD5 hashes, the oldest dropped beyond `maxEntries`, and, as in n8n, read
 * and written back without a lock, so that two executions at once can overwrite each other.
 */
export class DeduplicationStore implements IDataDeduplicator {
	#rows = new Map<string, string>();
	#faults: StoreFault[] = [];
	readonly #calls: StoreCall[] = [];

	/** Empties the store, and forgets faults and recorded calls. */
	reset(): void {
		this.#rows.clear();
		this.#faults = [];
		this.#calls.length = 0;
	}

	/** Makes later calls go wrong. Of several faults that match a call, the first added strikes. */
	addFault(fault: StoreFault): void {
		this.#faults.push({ ...fault });
	}

	/** The calls so far, in order, with the values as the node gave them (before hashing). */
	get calls(): readonly StoreCall[] {
		return this.#calls;
	}

	/** The number of values kept for a node, or for the whole workflow without `nodeId`. */
	count(workflowId: string, nodeId?: string): number {
		const row = this.#read(rowKey(workflowId, nodeId));
		return Array.isArray(row?.data) ? row.data.length : 0;
	}

	/** Forgets the values kept for single nodes, and keeps those of whole workflows. */
	clearNodes(): void {
		for (const key of this.#rows.keys()) if (!isWorkflowKey(key)) this.#rows.delete(key);
	}

	/** The content, as n8n's database would survive a restart. */
	snapshot(): StoreSnapshot {
		return new Map(this.#rows);
	}

	/** Puts a former content back. */
	restore(snapshot: StoreSnapshot): void {
		this.#rows = new Map(snapshot);
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		return await this.#call('checkProcessedAndRecord', items, scope, contextData, async (key) => {
			const row = await this.#find(key);
			if (row !== undefined && row.mode !== options.mode) {
				throw new StoreError(
					`the stored entries were made in mode ${row.mode}, not ${options.mode}`,
				);
			}
			return options.mode === 'entries'
				? await this.#recordEntries(key, row, items, options)
				: await this.#recordLatest(key, row, items, options.mode);
		});
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<void> {
		await this.#call('removeProcessed', items, scope, contextData, async (key) => {
			if (options.mode !== 'entries') {
				throw new StoreError(`entries of mode ${options.mode} cannot be removed`);
			}
			const row = await this.#find(key);
			if (row === undefined || !Array.isArray(row.data)) return;
			for (const hash of items.map(hashOf)) {
				const index = row.data.indexOf(hash);
				if (index !== -1) row.data.splice(index, 1);
			}
			await this.#update(key, row);
		});
	}

	async clearAllProcessedItems(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		await this.#call('clearAllProcessedItems', [], scope, contextData, async (key) => {
			await nextTick();
			this.#rows.delete(key);
		});
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<number> {
		return await this.#call('getProcessedDataCount', [], scope, contextData, async (key) => {
			const row = await this.#find(key);
			return options.mode === 'entries' && Array.isArray(row?.data) ? row.data.length : 0;
		});
	}

	async #recordEntries(
		key: string,
		row: Row | undefined,
		items: DeduplicationItemTypes[],
		{ mode, maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const hashes = items.map(hashOf);
		if (row === undefined) {
			// As in n8n, equal values within the first call are all new and are all kept.
			await this.#insert(key, { mode, data: newest(hashes, maxEntries) });
			return { new: items, processed: [] };
		}
		const output: IDeduplicationOutput = { new: [], processed: [] };
		if (!Array.isArray(row.data)) return output;
		const known = new Set(row.data);
		const { data } = row;
		items.forEach((item, index) => {
			const hash = hashes[index] ?? hashOf(item);
			if (known.has(hash)) {
				output.processed.push(item);
			} else {
				output.new.push(item);
				data.push(hash);
			}
		});
		await this.#update(key, { mode: row.mode, data: newest(data, maxEntries) });
		return output;
	}

	async #recordLatest(
		key: string,
		row: Row | undefined,
		items: DeduplicationItemTypes[],
		mode: DeduplicationMode,
	): Promise<IDeduplicationOutput> {
		const order = (a: DeduplicationItemTypes, b: DeduplicationItemTypes) =>
			comparable(mode, a) - comparable(mode, b);
		const sorted = [...items].sort(order);
		const latest = sorted.at(-1);
		if (row === undefined) {
			if (latest !== undefined) await this.#insert(key, { mode, data: latest });
			return { new: items, processed: [] };
		}
		const { data } = row;
		if (Array.isArray(data)) return { new: [], processed: [] };
		const isNew = (item: DeduplicationItemTypes) => order(item, data) > 0;
		await this.#update(key, {
			mode,
			data: latest !== undefined && isNew(latest) ? latest : data,
		});
		return {
			new: sorted.filter((item) => isNew(item)),
			processed: sorted.filter((item) => !isNew(item)),
		};
	}

	/** Records a call, lets faults strike before and after its work, and does the work. */
	async #call<T>(
		operation: StoreOperation,
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		work: (key: string) => Promise<T>,
	): Promise<T> {
		const { node, workflow } = contextData;
		const hostProcess = processOf(workflow);
		await hostProcess.alive();
		if (scope === 'node' && node === undefined) {
			throw new StoreError('the scope "node" needs a node');
		}
		const nodeId = scope === 'node' ? node?.id : undefined;
		this.#calls.push({ operation, scope, workflowId: workflow.id, nodeId, items: [...items] });
		const fault = this.#takeFault(operation, scope);
		const strike = async (when: StoreFault['when']) => {
			if (fault?.when !== when) return;
			if (fault.kind === 'fail') {
				throw fault.error ?? new StoreError('the database did not answer');
			}
			hostProcess.kill();
			await hostProcess.alive();
		};
		await strike('before');
		const result = await work(rowKey(workflow.id, nodeId));
		await strike('after');
		await hostProcess.alive();
		return result;
	}

	#takeFault(operation: StoreOperation, scope: DeduplicationScope): StoreFault | undefined {
		for (const [index, fault] of this.#faults.entries()) {
			if (fault.operation !== undefined && fault.operation !== operation) continue;
			if (fault.scope !== undefined && fault.scope !== scope) continue;
			if (fault.skip !== undefined && fault.skip > 0) {
				fault.skip -= 1;
				continue;
			}
			const left = (fault.times ?? 1) - 1;
			if (left === 0) this.#faults.splice(index, 1);
			else fault.times = left;
			return fault;
		}
		return undefined;
	}

	#read(key: string): Row | undefined {
		const text = this.#rows.get(key);
		return text === undefined ? undefined : rowSchema.parse(jsonParse(text));
	}

	// Reading and writing take a turn of the event loop each, as a database does: that gap between
	// them is where two executions at once can overwrite each other.
	async #find(key: string): Promise<Row | undefined> {
		await nextTick();
		return this.#read(key);
	}

	async #insert(key: string, row: Row): Promise<void> {
		await nextTick();
		if (this.#rows.has(key)) {
			throw new StoreError('UNIQUE constraint failed: processed_data');
		}
		this.#rows.set(key, JSON.stringify(row));
	}

	async #update(key: string, row: Row): Promise<void> {
		await nextTick();
		if (this.#rows.has(key)) this.#rows.set(key, JSON.stringify(row));
	}
}

/** An error of the store. The node sees it as n8n's nodes see an error of the database. */
class StoreError extends Error {
	constructor(reason: string) {
		super(`De-duplication store: ${reason}`);
		this.name = 'StoreError';
	}
}

const workflowContext = '';

function isWorkflowKey(key: string): boolean {
	return keySchema.parse(jsonParse(key))[1] === workflowContext;
}

const keySchema = z.tuple([z.string(), z.string()]);

function rowKey(workflowId: string, nodeId?: string): string {
	if (!workflowId) throw new StoreError('the workflow has no id (it was never saved)');
	return JSON.stringify([workflowId, nodeId === undefined ? workflowContext : `n:${nodeId}`]);
}

function hashOf(item: DeduplicationItemTypes): string {
	return createHash('md5').update(item.toString()).digest('base64');
}

function newest<T>(entries: T[], maxEntries: number | undefined): T[] {
	return maxEntries ? entries.slice(Math.max(0, entries.length - maxEntries)) : entries;
}

function comparable(mode: DeduplicationMode, item: DeduplicationItemTypes): number {
	const value = mode === 'latestDate' ? tryToParseDateTime(item).toMillis() : Number(item);
	if (Number.isNaN(value)) throw new StoreError(`"${item}" cannot be compared in mode ${mode}`);
	return value;
}

/** The store of this process, shared by all executions in it. */
export const deduplicationStore = new DeduplicationStore();

let registered: Promise<void> | undefined;

/** Hands the store to n8n-core, which takes one for the life of the process. */
export async function registerDeduplicationStore(): Promise<void> {
	registered ??= DataDeduplicationService.init(deduplicationStore);
	await registered;
}
