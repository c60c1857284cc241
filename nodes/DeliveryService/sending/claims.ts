import type { Claim, Ledger } from '../deduplication/ledger';
import type { Problem } from '../common/result';
import { toClaimants, claimSize, maxClaimed } from './batches';
import {
	alreadyCreated,
	anotherOrder,
	notSent,
	sentElsewhere,
	storeProblem,
	unknownOutcome,
	type Creation,
	type Outcome,
} from './outcomes';

/** The run that creations are claimed for. */
export interface ClaimingRun {
	/** Why nothing more is sent. */
	readonly halted?: Problem;
	/** Lets nothing more be sent, and tells the first problem for which that is so. */
	halt(problem: Problem): Problem;
	/** Tells what became of creations that are not sent. */
	tell(creations: readonly Creation[], outcome: Outcome): void;
}

/**
 * The claims of creations that share a ledger, made ahead of their requests. Each access to the store
 * costs as much as all that is remembered: so one access confirms what was created since the last,
 * tries the claims that it made, and makes the next.
 */
export class ClaimsAhead {
	/** What was created and is not noted yet. */
	private unconfirmed: Creation[] = [];

	/** By reference, those that are claimed and not known yet to be ours. */
	private readonly asked = new Map<string, Creation>();

	/** What is to be let go once nothing more is sent. */
	private leftOver: Creation[] = [];

	constructor(
		private readonly ledger: Ledger,
		private readonly run: ClaimingRun,
	) {}

	/** The creations of a group that are ours to send, in full batches; of the others it is told what became. */
	async *batches(group: readonly Creation[], size: number): AsyncGenerator<Creation[]> {
		const usual = claimSize(group.length, size);
		const ready: Creation[] = [];
		let count = usual;
		for (let next = 0; next < group.length || this.asked.size > 0;) {
			const part = group.slice(next, this.run.halted ? group.length : next + count);
			next += part.length;
			ready.push(...(await this.proceed(part)));
			// Where nothing was left to claim, there is nothing that could be left unknown.
			const isKnown = part.length > 0 && this.asked.size === 0;
			count = isKnown ? Math.min(2 * count, maxClaimed) : usual;
			while (ready.length >= size) yield ready.splice(0, size);
		}
		if (ready.length > 0) yield ready;
	}

	/** Keeps in mind what is to be confirmed. */
	created(creations: readonly Creation[]): void {
		this.unconfirmed.push(...creations);
	}

	/** Notes what was created since the last access. @throws when the store does */
	async confirm(): Promise<void> {
		await this.ledger.proceed({ confirmed: toClaimants(this.unconfirmed.splice(0)) });
	}

	/**
	 * Lets go of creations that were not made. Once nothing more is sent they come request by request,
	 * each of which would cost an access to the store: then they are kept for {@link releaseLeftOver}.
	 *
	 * @throws when the store does
	 */
	async release(creations: readonly Creation[]): Promise<void> {
		if (this.run.halted) this.leftOver.push(...creations);
		else await this.ledger.release(toClaimants(creations));
	}

	/** Lets go of what came since nothing more is sent. @throws when the store does */
	async releaseLeftOver(): Promise<void> {
		await this.ledger.release(toClaimants(this.leftOver.splice(0)));
	}

	/** Claims a part of the group, and gives those that are known to be ours by now. */
	private async proceed(part: readonly Creation[]): Promise<Creation[]> {
		const { halted } = this.run;
		if (halted) this.run.tell(part, notSent(halted, true));
		const wanted = halted ? [] : part;
		const ready = wanted.filter(({ delivery }) => delivery.referenceId === undefined);
		for (const creation of wanted)
			if (creation.delivery.referenceId !== undefined)
				this.asked.set(creation.delivery.referenceId, creation);
		if (this.asked.size === 0) return ready;
		const unconfirmed = this.unconfirmed.splice(0);
		try {
			const found = await this.ledger.proceed({
				confirmed: toClaimants(unconfirmed),
				wanted: toClaimants(wanted),
			});
			return [...ready, ...this.ours(found)];
		} catch (error) {
			// What was created may perhaps be noted later.
			this.unconfirmed.push(...unconfirmed);
			const problem = storeProblem(error);
			this.run.halt(problem);
			this.run.tell([...ready, ...this.asked.values()], notSent(problem, true));
			this.asked.clear();
			return [];
		}
	}

	private ours(found: ReadonlyMap<string, Claim>): Creation[] {
		const ours: Creation[] = [];
		for (const [reference, claim] of found) {
			const creation = this.asked.get(reference);
			if (!creation) continue;
			this.asked.delete(reference);
			if (claim === 'claimed') ours.push(creation);
			else if (claim === 'created') this.run.tell([creation], alreadyCreated);
			else if (claim === 'anotherOrder') this.run.tell([creation], anotherOrder(creation));
			else this.run.tell([creation], unknownOutcome(sentElsewhere, true));
		}
		return ours;
	}
}
