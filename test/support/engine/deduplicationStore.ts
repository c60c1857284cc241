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
import { notSupported } from './additionalData';
import { processOf } from './hostProcess';

const rowSchema = z.array(z.string());

/** A method of n8n's deduplication service. */
export type StoreOperation =
	'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems';

/** A fault to inject into calls of the store; see `DeduplicationStore.addFault`. */
export interface StoreFault {
	/** `fail`: the call rejects. `kill`: the n8n process of that execution dies at this point. */
	kind: 'fail' | 'kill';
	/** Before the call reads the store, or after it has written to it. */
	when: 'before' | 'after';
	/** Only calls of this method. Defaults to any. */
	operation?: StoreOperation;
	/** Only calls with this scope. Defaults to any. */
	scope?: DeduplicationScope;
	/** Only calls with an entry that matches. Defaults to any. */
	entry?: RegExp;
	/** The number of matching calls before the first fault. Defaults to 0. */
	skip?: number;
	/** The number of calls that fail. Defaults to 1. */
	times?: number;
}

/** A recorded call of the store. */
export interface StoreCall {
	operation: StoreOperation;
	scope: DeduplicationScope;
	workflowId: string;
	nodeId?: string;
	items: DeduplicationItemTypes[];
}

/** The whole content of the store, for `restore`. */
export type StoreSnapshot = ReadonlyMap<string, string>;

/**
 * n8n's deduplication store with an in-memory table instead of a database. Like n8n, it has one row per
 * workflow and context, stores values as MD5 hashes, drops the oldest beyond `maxEntries`, and reads
 * and rewrites a row without a lock, so that concurrent executions can overwrite each other.
 */
export class DeduplicationStore implements IDataDeduplicator {
	#rows = new Map<string, string>();
	#faults: StoreFault[] = [];
	readonly #calls: StoreCall[] = [];

	/** Clears the entries, faults and recorded calls. */
	reset(): void {
		this.#rows.clear();
		this.#faults = [];
		this.#calls.length = 0;
	}

	/** Injects a fault into later calls. If several faults match a call, the first one applies. */
	addFault(fault: StoreFault): void {
		this.#faults.push({ ...fault });
	}

	/** The calls so far, in order, with their values before hashing. */
	get calls(): readonly StoreCall[] {
		return this.#calls;
	}

	/** The number of entries of a node, or of the workflow scope without `nodeId`. */
	count(workflowId: string, nodeId?: string): number {
		const row = this.#read(rowKey(workflowId, nodeId));
		return row?.length ?? 0;
	}

	/** Clears the entries of single nodes, but not those of whole workflows. */
	clearNodes(): void {
		for (const key of this.#rows.keys()) if (!isWorkflowKey(key)) this.#rows.delete(key);
	}

	/** The content, which survives a restart like n8n's database. */
	snapshot(): StoreSnapshot {
		return new Map(this.#rows);
	}

	/** Restores an earlier content. */
	restore(snapshot: StoreSnapshot): void {
		this.#rows = new Map(snapshot);
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		{ mode, maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		if (mode !== 'entries') return await notSupported(`deduplication in the mode ${mode}`);
		return await this.#call('checkProcessedAndRecord', items, scope, contextData, async (key) => {
			const row = await this.#find(key);
			if (row === undefined) {
				// As in n8n, equal values within the first call are all new and are all stored.
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
		return await notSupported('counting the entries of the deduplication store');
	}

	/** Records a call and does its work, with faults before or after it. */
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
		const fault = this.#takeFault(operation, scope, items);
		const applyFault = async (when: StoreFault['when']) => {
			if (fault?.when !== when) return;
			if (fault.kind === 'fail') {
				throw new StoreError('the database did not answer');
			}
			hostProcess.kill();
			await hostProcess.alive();
		};
		await applyFault('before');
		const result = await work(rowKey(workflow.id, nodeId));
		await applyFault('after');
		await hostProcess.alive();
		return result;
	}

	#takeFault(
		operation: StoreOperation,
		scope: DeduplicationScope,
		items: readonly DeduplicationItemTypes[],
	): StoreFault | undefined {
		for (const [index, fault] of this.#faults.entries()) {
			if (fault.operation !== undefined && fault.operation !== operation) continue;
			if (fault.scope !== undefined && fault.scope !== scope) continue;
			const { entry } = fault;
			if (entry !== undefined && !items.some((item) => entry.test(String(item)))) continue;
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

	// Reading and writing each take a turn of the event loop, as with a database. Between them,
	// concurrent executions can overwrite each other.
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

/** An error of the store. To the node, it looks like an error of n8n's database. */
class StoreError extends Error {
	constructor(reason: string) {
		super(`Deduplication store: ${reason}`);
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

/** The store of this process, which all executions share. */
export const deduplicationStore = new DeduplicationStore();

let registered: Promise<void> | undefined;

/** Registers the store with n8n-core, which accepts one per process. */
export async function registerDeduplicationStore(): Promise<void> {
	registered ??= DataDeduplicationService.init(deduplicationStore);
	await registered;
}
