import { realClock, type Clock } from '../common/clock';
import { chunk } from '../common/data';
import { findAll, type Claim, type Found } from './claims';
import { freeReferences } from './resending';
import { Access, openWorkflowStore, type Purpose, type Store, type StoreContext } from './store';

/** The ledger of the current workflow, in n8n's database. */
export function openLedger(context: StoreContext): Ledger {
	return new Ledger(openWorkflowStore(context), realClock);
}

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
		const found = await this.run(['question'], async (access) => {
			const all = await findAll(access, claims);
			await access.addOwn([...all.values()].flatMap(({ claimed = [] }) => claimed));
			return all;
		});
		for (const [claim, one] of found) this.claimed.set(claim, one);
		return found;
	}

	/** Returns the states of deliveries, and changes nothing. @throws when the store fails */
	async lookUp(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, Found>> {
		const all = ['question', 'order', 'claim'] as const;
		const states: Array<[Claim, Found]> = [];
		// In portions: what is recorded for a moment drops the oldest entries of a full store.
		for (const some of chunk(claims, 100))
			states.push(...(await this.run(all, async (access) => await findAll(access, some))));
		return new Map(states);
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
