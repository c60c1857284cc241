/** The memory of a workflow: what the other folders use of it. */
import { realClock, type Clock } from '../common/clock';
import { chunk } from '../common/data';
import { Access, type Purpose } from './access';
import type { FoundChange } from './changes';
import { findWholes, type Claim, type Found, type FoundClaim } from './claims';
import { claimAddedUnits, findParts } from './parts';
import { ProcessMemory, processMemoryOf, type Holder } from './processMemory';
import { freeReferences } from './resending';
import { clearStore, openWorkflowStore, type Store, type StoreContext } from './store';
import { readTraces, traceEntry, type Trace } from './traces';

/**
 * The ledger of the current workflow, in n8n's database.
 *
 * @param isDryRun whether it remembers nothing of the orders that are looked up
 */
export function openLedger(context: StoreContext, { isDryRun = false } = {}): Ledger {
	const memory = memoryOf(context);
	return new Ledger(openWorkflowStore(context), realClock, isDryRun ? memory.copy() : memory);
}

/** Forgets all that the current workflow remembers. */
export async function clearLedger(context: StoreContext): Promise<void> {
	await clearStore(context);
	memoryOf(context).forgetStates();
}

function memoryOf(context: StoreContext): ProcessMemory {
	return processMemoryOf(context.getWorkflow().id ?? '');
}

/**
 * Remembers which deliveries were sent. A claim is recorded before a delivery is sent, and confirmed
 * when it was created. A crash leaves a claim without confirmation, which is unknown and never free.
 *
 * Each access to the store costs as much as everything that is remembered, so what is confirmed and
 * released waits for the next claim, or for {@link flush}.
 */
export class Ledger {
	/** What was found when each was last claimed. */
	private readonly found = new Map<Claim, FoundClaim>();

	/** The change that was last found for each claim. */
	private readonly changes = new Map<Claim, FoundChange | undefined>();

	/** What this execution has claimed and is at work on, by entry. */
	private readonly held = new Map<string, Holder>();

	/** The entries of created deliveries that are not recorded yet. */
	private readonly confirmed: string[] = [];

	/** The entries of released claims that are not removed yet. */
	private readonly released: string[] = [];

	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
		private readonly process = new ProcessMemory(),
	) {}

	/**
	 * Claims deliveries, and returns what each was before.
	 *
	 * @param claims no two with the same reference ID
	 * @throws when the store fails: then none is claimed
	 */
	async claim(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, Found>> {
		const found = await this.run(['question'], async (access) => {
			const all = await this.find(access, claims, true);
			await access.addOwn([...all.values()].flatMap(({ inAdvance = [] }) => inAdvance));
			return all;
		});
		for (const [claim, one] of found) {
			this.found.set(claim, one);
			this.changes.set(claim, one.change);
			if (one.state === 'free') one.holder = this.hold(one.claimEntry);
		}
		return found;
	}

	private async find(
		access: Access,
		claims: readonly Claim[],
		takesUnits: boolean,
	): Promise<ReadonlyMap<Claim, FoundClaim>> {
		// Whole orders first, so that none is then claimed in parts as well.
		const wholes = await findWholes(access, claims);
		const parts = await findParts(access, claims, takesUnits);
		const found = new Map([...wholes, ...parts]);
		await readTraces(access, found);
		for (const [{ asOf, orderId = '' }, one] of found) {
			one.holder = this.holderOf(one.claimEntry);
			// Calls of a webhook arrive in any order, and an execution that waited knows an older state. Orders
			// of two shops may have the same claim.
			const older = asOf ? this.process.note(`${one.claimEntry} ${orderId}`, asOf) : [];
			if (!older.includes(true)) continue;
			one.change = undefined;
			one.isOutdated = older.every(Boolean);
		}
		return found;
	}

	/**
	 * Returns the states of deliveries, and changes nothing in the store.
	 *
	 * @param takesUnits whether each takes its units from those after it, as if it were claimed
	 * @throws when the store fails
	 */
	async lookUp(
		claims: readonly Claim[],
		{ takesUnits = false } = {},
	): Promise<ReadonlyMap<Claim, Found>> {
		const all = ['question', 'shared', 'claim'] as const;
		const states: Array<[Claim, FoundClaim]> = [];
		// In portions: what is recorded for a moment drops the oldest entries of a full store.
		for (const some of chunk(claims, 100))
			states.push(
				...(await this.run(all, async (access) => await this.find(access, some, takesUnits))),
			);
		const found = new Map(states);
		for (const [claim, { change }] of found) this.changes.set(claim, change);
		return found;
	}

	/**
	 * Claims the changes that were found, before they are reported or the deliveries are updated. One that
	 * is another execution's is claimed, too: wait for it before.
	 *
	 * @returns those that only this execution reports
	 * @throws when the store fails
	 */
	async claimChanges(claims: readonly Claim[]): Promise<ReadonlySet<Claim>> {
		const changed = claims.flatMap((claim) => {
			const change = this.changes.get(claim);
			return change ? [{ claim, ...change }] : [];
		});
		const own = await this.run(['question'], async (access) => {
			const entries = changed.map(({ claimEntry }) => claimEntry);
			const added = await access.add(entries, 'claim');
			const ofThis = changed.filter(({ claimEntry }) => added.has(claimEntry));
			// The delivery gets the units as they are now, or its owner is told of them.
			const withUnits = ofThis.filter(({ rest }) => rest);
			await claimAddedUnits(
				access,
				withUnits.map(({ claim }) => claim),
			);
			return ofThis;
		});
		for (const { claimEntry } of own) this.hold(claimEntry);
		return new Set(own.map(({ claim }) => claim));
	}

	/** Whether the execution that has claimed a change is certainly reporting it: one of this process. */
	isReported(claim: Claim): boolean {
		const { claimedElsewhere } = this.changes.get(claim) ?? {};
		return claimedElsewhere !== undefined && this.holderOf(claimedElsewhere)?.isAtWork === true;
	}

	/** Records that a claimed change was reported or accepted. */
	recordChange(claim: Claim): void {
		this.confirmed.push(...(this.changes.get(claim)?.recorded ?? []));
	}

	/** Remembers orders that were met, and not sent. */
	remember(claims: readonly Claim[], trace: Trace): void {
		this.confirmed.push(...claims.map((claim) => traceEntry(claim, trace)));
	}

	/** Confirms that a claimed delivery was created. */
	confirm(claim: Claim): void {
		this.confirmed.push(...(this.found.get(claim)?.confirmed ?? []));
	}

	/** Releases a claimed delivery that was not created: it may be sent again. */
	release(claim: Claim): void {
		this.released.push(...(this.found.get(claim)?.released ?? []));
	}

	/** Notes that a claimed delivery stays unknown: from now on, nobody in this process is sending it. */
	abandon(claim: Claim): void {
		const { holder } = this.found.get(claim) ?? {};
		if (holder) holder.isAtWork = false;
	}

	/** Notes that this execution is at work on nothing any more that it has claimed so far. */
	end(): void {
		// What it has released may be another execution's by now, and what it left unknown stays that.
		for (const [claimEntry, holder] of this.held)
			if (holder.isAtWork && this.process.holders.get(claimEntry) === holder)
				this.process.holders.delete(claimEntry);
		this.held.clear();
	}

	private hold(claimEntry: string): Holder {
		const holder = { isAtWork: true };
		this.held.set(claimEntry, holder);
		this.process.holders.set(claimEntry, holder);
		return holder;
	}

	/**
	 * The execution of this process that has a claim. This one is not: it looks only while it sends nothing,
	 * and must not wait for itself.
	 */
	private holderOf(claimEntry: string): Holder | undefined {
		const holder = this.process.holders.get(claimEntry);
		const isOwn = holder === this.held.get(claimEntry);
		return isOwn && holder?.isAtWork ? undefined : holder;
	}

	/** Records what was confirmed and released. @throws when that failed */
	async flush(): Promise<void> {
		if (this.confirmed.length + this.released.length > 0)
			await this.run([], async (access) => await access.add([], 'claim'));
	}

	/** Lets references be sent again: see {@link freeReferences}. @throws when the store fails */
	async allowResending(
		companyId: number | undefined,
		references: readonly string[],
		orderReferenceId?: string,
	) {
		return await this.run(
			['question'],
			async (access) => await freeReferences(access, companyId, references, orderReferenceId),
		);
	}

	/**
	 * Runs an access, together with what was confirmed and released before.
	 *
	 * @param temporary why the entries were added that are removed at the end
	 */
	private async run<Result>(
		temporary: readonly Purpose[],
		work: (access: Access) => Promise<Result>,
	): Promise<Result> {
		return await this.store(async (entries) => {
			const access = new Access(entries, this.clock, this.confirmed);
			// Now or never: in the next access, they may be another execution's. Those that stay are unknown.
			await access.remove(this.released.splice(0));
			let isDone = false;
			try {
				const result = await work(access);
				await access.undo(temporary);
				isDone = true;
				return result;
			} finally {
				if (!isDone) await access.undo(['claim']);
			}
		});
	}
}
