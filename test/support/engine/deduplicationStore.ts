import { createHash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { DataDeduplicationService } from 'n8n-core';
import {
	jsonParse,
	type DeduplicationItemTypes,
	type DeduplicationScope,
	type ICheckProcessedContextData,
	type ICheckProcessedOptions,
	type IDataDeduplicator,
	type IDeduplicationOutput,
} from 'n8n-workflow';
import { z } from 'zod';
import { notServed } from './additionalData';
import { processOf } from './hostProcess';

const rowSchema = z.array(z.string());

/** A method of n8n's de-duplication service. */
export type StoreOperation =
	'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems';

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
		return row?.length ?? 0;
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
		{ mode, maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		if (mode !== 'entries') return await notServed(`de-duplication in the mode ${mode}`);
		return await this.#call('checkProcessedAndRecord', items, scope, contextData, async (key) => {
			const row = await this.#find(key);
			if (row === undefined) {
				// As in n8n, equal values within the first call are all new and are all kept.
				await this.#insert(key, newest(items.map(hashOf), maxEntries));
				return { new: items, processed: [] };
			}
			const output: IDeduplicationOutput = { new: [], processed: [] };
			const known = new Set(row);
			for (const item of items) {
				const hash = hashOf(item);
				if (known.has(hash)) {
					output.processed.push(item);
				} else {
					output.new.push(item);
					row.push(hash);
				}
			}
			await this.#update(key, newest(row, maxEntries));
			return output;
		});
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		await this.#call('removeProcessed', items, scope, contextData, async (key) => {
			const row = await this.#find(key);
			if (row === undefined) return;
			for (const hash of items.map(hashOf)) {
				const index = row.indexOf(hash);
				if (index !== -1) row.splice(index, 1);
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

	async getProcessedDataCount(): Promise<number> {
		return await notServed('counting the entries of the de-duplication store');
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
				throw new StoreError('the database did not answer');
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

	#read(key: string): string[] | undefined {
		const text = this.#rows.get(key);
		return text === undefined ? undefined : rowSchema.parse(jsonParse(text));
	}

	// Reading and writing take a turn of the event loop each, as a database does: that gap between
	// them is where two executions at once can overwrite each other.
	async #find(key: string): Promise<string[] | undefined> {
		await nextTick();
		return this.#read(key);
	}

	async #insert(key: string, row: string[]): Promise<void> {
		await nextTick();
		if (this.#rows.has(key)) {
			throw new StoreError('UNIQUE constraint failed: processed_data');
		}
		this.#rows.set(key, JSON.stringify(row));
	}

	async #update(key: string, row: string[]): Promise<void> {
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

/** The store of this process, shared by all executions in it. */
export const deduplicationStore = new DeduplicationStore();

let registered: Promise<void> | undefined;

/** Hands the store to n8n-core, which takes one for the life of the process. */
export async function registerDeduplicationStore(): Promise<void> {
	registered ??= DataDeduplicationService.init(deduplicationStore);
	await registered;
}
