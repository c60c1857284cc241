import type { Clock } from '../common/clock';
import { findStates, freeReferences, type Claim, type Found } from './claims';
import { Access, type Store } from './store';

/**
 * Remembers which deliveries were sent. A claim is recorded before a delivery is sent, and confirmed
 * when it was created. A crash leaves a claim without confirmation, which is unknown and never free.
 *
 * Each access to the store costs as much as everything that is remembered, so what is confirmed and
 * released waits for the next claim, or for {@link flush}.
 */
export class Ledger {
	private readonly claimed = new Map<Claim, Found>();

	/** The entries of created deliveries that are not recorded yet. */
	private readonly confirmed: string[] = [];

	/** The entries of released claims that are not removed yet. */
	private readonly released: string[] = [];

	/** Whether some released claims stay in the store for good: they will be unknown. */
	private hasLostReleases = false;

	constructor(
		private readonly store: Store,
		private readonly clock: Clock,
	) {}

	/**
	 * Claims deliveries, and returns what each was before.
	 *
	 * @param claims no two with the same reference ID
	 * @throws when the store fails: then none is claimed
	 */
	async claim(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, Found>> {
		const found = await this.run(async (access) => {
			const states = await findStates(access, claims);
			await access.undo('question');
			return states;
		});
		for (const [claim, one] of found) this.claimed.set(claim, one);
		return found;
	}

	/** Returns the states of deliveries, and changes nothing. @throws when the store fails */
	async lookUp(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, Found>> {
		return await this.run(async (access) => {
			const states = await findStates(access, claims);
			await access.undo('question', 'order', 'claim');
			return states;
		});
	}

	/** Confirms that a claimed delivery was created. */
	confirm(claim: Claim): void {
		this.confirmed.push(...(this.claimed.get(claim)?.confirmed ?? []));
	}

	/** Releases a claimed delivery that was not created: it may be sent again. */
	release(claim: Claim): void {
		this.released.push(...(this.claimed.get(claim)?.released ?? []));
	}

	/** Records what was confirmed and released. @throws when that failed */
	async flush(): Promise<void> {
		if (this.confirmed.length + this.released.length > 0)
			await this.run(async (access) => await access.add([], 'claim'));
		if (this.hasLostReleases) throw new Error('Released claims could not be removed');
	}

	/**
	 * Lets deliveries be sent again, whatever their state; see {@link freeReferences}.
	 *
	 * @returns the references that would not have been sent
	 * @throws when the store fails
	 */
	async allowResending(
		companyId: number | undefined,
		references: readonly string[],
	): Promise<ReadonlySet<string>> {
		return await this.run(async (access) => {
			const freed = await freeReferences(access, companyId, references);
			await access.undo('question');
			return freed;
		});
	}

	/** Runs an access, together with what was confirmed and released before. */
	private async run<Result>(work: (access: Access) => Promise<Result>): Promise<Result> {
		return await this.store.runExclusive(async (entries) => {
			const access = new Access(entries, this.clock, this.confirmed);
			// Now or never: in the next access, they may be another execution's.
			const released = this.released.splice(0);
			const { hasLostReleases } = this;
			this.hasLostReleases = true;
			await access.remove(released);
			this.hasLostReleases = hasLostReleases;
			let isDone = false;
			try {
				const result = await work(access);
				isDone = true;
				return result;
			} finally {
				if (!isDone) await access.undo('claim');
			}
		});
	}
}
