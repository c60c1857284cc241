import type { Clock } from '../common/clock';
import { Access, removeInChunks, type Entries, type Store } from './access';
import { findStates, type Claim, type ClaimEntries, type ClaimState, type Found } from './claims';

/** How many times to try to record what a run did, and the pause between. */
const maxAttempts = 4;
const pauseMs = 500;

/**
 * Remembers which deliveries were sent. A claim is recorded before a delivery is sent, and confirmed
 * when it was created. A crash leaves a claim without confirmation, which is unknown and never free.
 *
 * Each access to the store costs as much as everything that is remembered, so what is confirmed and
 * released waits for the next claim, or for {@link flush}.
 */
export class Ledger {
	private readonly entriesOf = new Map<Claim, ClaimEntries>();

	/** The entries of created deliveries that are not recorded yet. */
	private readonly toAdd: string[] = [];

	/** The entries of released claims that are not removed yet. */
	private readonly toRemove: string[] = [];

	/** Whether some released claims stay in the store for good: they will be unknown. */
	private hasLostReleases = false;

	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
	) {}

	/**
	 * Claims deliveries, and returns the state that each had before.
	 *
	 * @param claims no two with the same reference ID
	 * @throws when the store fails: then none is claimed
	 */
	async claim(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, ClaimState>> {
		const found = await this.find(claims, ({ obsolete }) => obsolete);
		for (const [claim, { entries }] of found) if (entries) this.entriesOf.set(claim, entries);
		return statesOf(found);
	}

	/** Returns the states of deliveries, and changes nothing. @throws when the store fails */
	async lookUp(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, ClaimState>> {
		return statesOf(await this.find(claims, ({ undo }) => undo));
	}

	private async find(
		claims: readonly Claim[],
		unneeded: (access: Access) => readonly string[],
	): Promise<ReadonlyMap<Claim, Found>> {
		return await this.runExclusive(async (entries) => {
			const access = new Access(entries);
			let isDone = false;
			try {
				const found = await findStates(access, claims);
				await removeInChunks(entries, unneeded(access));
				isDone = true;
				return found;
			} finally {
				if (!isDone) await this.remove(entries, access.undo);
			}
		});
	}

	/** Confirms that a claimed delivery was created. */
	confirm(claim: Claim): void {
		this.toAdd.push(...(this.entriesOf.get(claim)?.confirmed ?? []));
	}

	/** Releases a claimed delivery that was not created: it may be sent again. */
	release(claim: Claim): void {
		this.toRemove.push(...(this.entriesOf.get(claim)?.released ?? []));
	}

	/** Records what was confirmed and released. @throws when the store kept failing */
	async flush(): Promise<void> {
		if (this.toAdd.length + this.toRemove.length > 0)
			await this.tryRepeatedly(
				async () => await this.runExclusive(async () => await Promise.resolve()),
			);
		if (this.hasLostReleases) throw new Error('Released claims could not be removed');
	}

	/** Runs an access, together with what was confirmed and released before. */
	private async runExclusive<Result>(work: (entries: Entries) => Promise<Result>): Promise<Result> {
		return await this.store.runExclusive(async (entries) => {
			const { hasLostReleases } = this;
			this.hasLostReleases = true;
			await this.remove(entries, this.toRemove.splice(0));
			this.hasLostReleases = hasLostReleases;
			const added = [...this.toAdd];
			if (added.length > 0) await entries.record(added);
			this.toAdd.splice(0, added.length);
			return await work(entries);
		});
	}

	/** Removes entries, now or never: in the next access, they may be another execution's. */
	private async remove(entries: Entries, obsolete: readonly string[]): Promise<void> {
		await this.tryRepeatedly(async () => await removeInChunks(entries, obsolete));
	}

	private async tryRepeatedly(work: () => Promise<void>): Promise<void> {
		for (let attempt = 1; attempt < maxAttempts; attempt++) {
			const isDone = await work().then(
				() => true,
				() => false,
			);
			if (isDone) return;
			await this.clock.wait(pauseMs * attempt);
		}
		await work();
	}
}

function statesOf(found: ReadonlyMap<Claim, Found>): ReadonlyMap<Claim, ClaimState> {
	return new Map([...found].map(([claim, { state }]) => [claim, state]));
}
