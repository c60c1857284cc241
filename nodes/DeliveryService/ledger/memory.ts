import type { Entries, Store } from './entries';
import { readText, textEntries, writeText } from './text';

/*
 * What a workflow remembers belongs to a company at a service: a test system must not affect the real
 * one. A service is known by its URL. When the URL changes, only the user knows whether the service
 * has moved or this is another system, so a run asks, and the answer is kept with the memory.
 */

/** What the workflow remembers of a company at a service. */
export interface Memory {
	/** The scope of its references. */
	scope: string;
	/** Entries to record with every confirmation, by which the memory is found. */
	entries: readonly string[];
}

/** Whether a memory is the service's own, that of a former Base URL, or still empty. */
export type MemoryOrigin = 'own' | 'moved' | 'new';

/** The memory of a Base URL, or the services that the workflow has used so far, if known. */
export type MemoryLookup =
	| { kind: 'memory'; memory: Memory; origin: MemoryOrigin }
	| { kind: 'otherService'; services: readonly string[] };

/** The user's decision about a Base URL that the workflow has not used yet. */
export type Decision =
	/** The service moved: what was sent to this Base URL counts. */
	| { kind: 'keep'; oldBaseUrl: string }
	/** It is another system. */
	| { kind: 'startEmpty' };

/** The outcome of a decision. */
export type DecisionResult =
	| 'done'
	/** The workflow already uses the Base URL, and nothing was changed. */
	| 'alreadyUsed'
	/** The workflow remembers nothing of the old Base URL. */
	| 'nothingToKeep';

/** A service, regardless of how its URL is written. */
export function serviceOf(baseUrl: string): string {
	const { host, pathname } = new URL(baseUrl);
	return `${host}${pathname.replace(/\/+$/, '')}`;
}

/** The scope of a reference: a company at a service. */
function scopeOf(service: string, companyId: number): string {
	return `delivery-service\n${service}\n${companyId}`;
}

/** The entries of a fact, in two halves that are looked for one after the other: see {@link isKnown}. */
function factEntries(name: string): [string, string] {
	return [`${name}\n1`, `${name}\n2`];
}

/** That the workflow may have created deliveries of a company, at any service. */
const usedFact = (companyId: number) => factEntries(scopeOf('', companyId));

/** That a service has a memory of its own. */
const ownFact = (service: string, companyId: number) =>
	factEntries(`${scopeOf(service, companyId)}\nmemory`);

/** The name of the text that says whose memory a moved service has. */
const formerName = (service: string, companyId: number) =>
	`${scopeOf(service, companyId)}\nmoved from`;

/** The name of the text with a service that has a memory. */
const serviceListName = (number: number, companyId: number) =>
	`${scopeOf('', companyId)}\nservice ${number}`;

/**
 * Whether a fact was recorded. Looking for an entry records it, and a crash at that moment must not
 * leave the fact behind, so its second half is only looked for when the first one was there.
 */
async function isKnown(entries: Entries, [first, second]: [string, string]): Promise<boolean> {
	if ((await entries.record([first])).has(first)) {
		await entries.remove([first]);
		return false;
	}
	const isComplete = !(await entries.record([second])).has(second);
	if (!isComplete) await entries.remove([first, second]);
	return isComplete;
}

/** Looks up the memory of a Base URL, and leaves the store as it was. */
export async function findMemory(
	store: Store,
	baseUrl: string,
	companyId: number,
): Promise<MemoryLookup> {
	return await store.runExclusive(async (entries) => await find(entries, baseUrl, companyId));
}

async function find(entries: Entries, baseUrl: string, companyId: number): Promise<MemoryLookup> {
	const service = serviceOf(baseUrl);
	const used = usedFact(companyId);
	const own = ownFact(service, companyId);
	const ownMemory = { scope: scopeOf(service, companyId), entries: [...used, ...own] };
	if (await isKnown(entries, own)) return { kind: 'memory', memory: ownMemory, origin: 'own' };
	// Before the other facts: looking for them may drop entries when the store is full.
	const name = formerName(service, companyId);
	const former = await readText(entries, name);
	if (former === undefined && !(await isKnown(entries, used))) {
		const listed = textEntries(serviceListName(0, companyId), service);
		const memory = { ...ownMemory, entries: [...ownMemory.entries, ...listed] };
		return { kind: 'memory', memory, origin: 'new' };
	}
	if (former !== undefined) {
		const memory = {
			scope: scopeOf(former, companyId),
			entries: [...used, ...textEntries(name, former)],
		};
		return { kind: 'memory', memory, origin: 'moved' };
	}
	return { kind: 'otherService', services: await listServices(entries, companyId) };
}

async function listServices(entries: Entries, companyId: number): Promise<string[]> {
	const services: string[] = [];
	for (;;) {
		const service = await readText(entries, serviceListName(services.length, companyId));
		if (service === undefined) return services;
		services.push(service);
	}
}

/** Records the user's decision about a Base URL. */
export async function decideMemory(
	store: Store,
	baseUrl: string,
	companyId: number,
	decision: Decision,
): Promise<DecisionResult> {
	return await store.runExclusive(async (entries) => {
		const service = serviceOf(baseUrl);
		const found = await find(entries, baseUrl, companyId);
		if (found.kind === 'memory') return found.origin === 'new' ? 'nothingToKeep' : 'alreadyUsed';
		if (decision.kind === 'startEmpty') {
			await writeText(entries, serviceListName(found.services.length, companyId), service);
			await entries.record(ownFact(service, companyId));
			return 'done';
		}
		const former = serviceOf(decision.oldBaseUrl);
		const kept = (await isKnown(entries, ownFact(former, companyId)))
			? former
			: await readText(entries, formerName(former, companyId));
		if (kept === undefined) return 'nothingToKeep';
		await writeText(entries, formerName(service, companyId), kept);
		return 'done';
	});
}
