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
	/** Stops sending, and returns the first problem that did so. */
	halt(problem: Problem): Problem;
	/** Adds the outcome of creations that are not sent. */
	addResults(creations: readonly Creation[], outcome: Outcome): void;
}

/**
 * Claims the creations that share a ledger ahead of their requests. Each store access costs as much
 * as everything that is remembered, so one access confirms the creations since the last access,
 * verifies the previous claims and makes the next ones.
 */
export class ClaimPipeline {
	/** Created, but not yet confirmed in the ledger. */
	private unconfirmed: Creation[] = [];

	/** Claims that are not verified yet, by reference. */
	private readonly unverified = new Map<string, Creation>();

	/** To release once nothing more is sent. */
	private unreleased: Creation[] = [];

	constructor(
		private readonly ledger: Ledger,
		private readonly run: ClaimingRun,
	) {}

	/** Yields the claimed creations of a group in full batches; the others get an outcome. */
	async *batches(group: readonly Creation[], size: number): AsyncGenerator<Creation[]> {
		const usualCount = claimSize(group.length, size);
		const ready: Creation[] = [];
		let count = usualCount;
		for (let next = 0; next < group.length || this.unverified.size > 0;) {
			const part = group.slice(next, this.run.halted ? group.length : next + count);
			next += part.length;
			ready.push(...(await this.claim(part)));
			// When there was nothing left to claim, a crash can't leave anything unknown.
			const isKnown = part.length > 0 && this.unverified.size === 0;
			count = isKnown ? Math.min(2 * count, maxClaimed) : usualCount;
			while (ready.length >= size) yield ready.splice(0, size);
		}
		if (ready.length > 0) yield ready;
	}

	/** Collects created deliveries for the next confirmation. */
	addCreated(creations: readonly Creation[]): void {
		this.unconfirmed.push(...creations);
	}

	/** Confirms the deliveries created since the last store access. @throws when the store fails */
	async confirm(): Promise<void> {
		await this.ledger.proceed({ confirmed: toClaimants(this.unconfirmed.splice(0)) });
	}

	/**
	 * Releases creations that were not created. Once nothing more is sent they arrive one request at a
	 * time, and each would cost a store access, so they are collected for {@link releaseCollected}.
	 *
	 * @throws when the store fails
	 */
	async release(creations: readonly Creation[]): Promise<void> {
		if (this.run.halted) this.unreleased.push(...creations);
		else await this.ledger.release(toClaimants(creations));
	}

	/** Releases the creations collected since nothing more is sent. @throws when the store fails */
	async releaseCollected(): Promise<void> {
		await this.ledger.release(toClaimants(this.unreleased.splice(0)));
	}

	/** Claims a part of the group, and returns the creations whose claims are verified by now. */
	private async claim(part: readonly Creation[]): Promise<Creation[]> {
		const { halted } = this.run;
		if (halted) this.run.addResults(part, notSent(halted, true));
		const wanted = halted ? [] : part;
		const ready = wanted.filter(({ delivery }) => delivery.referenceId === undefined);
		for (const creation of wanted)
			if (creation.delivery.referenceId !== undefined)
				this.unverified.set(creation.delivery.referenceId, creation);
		if (this.unverified.size === 0) return ready;
		const unconfirmed = this.unconfirmed.splice(0);
		try {
			const claims = await this.ledger.proceed({
				confirmed: toClaimants(unconfirmed),
				wanted: toClaimants(wanted),
			});
			return [...ready, ...this.takeClaimed(claims)];
		} catch (error) {
			// A later access may still confirm them.
			this.unconfirmed.push(...unconfirmed);
			const problem = storeProblem(error);
			this.run.halt(problem);
			this.run.addResults([...ready, ...this.unverified.values()], notSent(problem, true));
			this.unverified.clear();
			return [];
		}
	}

	private takeClaimed(claims: ReadonlyMap<string, Claim>): Creation[] {
		const claimed: Creation[] = [];
		for (const [reference, claim] of claims) {
			const creation = this.unverified.get(reference);
			if (!creation) continue;
			this.unverified.delete(reference);
			if (claim === 'claimed') claimed.push(creation);
			else if (claim === 'created') this.run.addResults([creation], alreadyCreated(creation));
			else if (claim === 'anotherOrder') this.run.addResults([creation], anotherOrder(creation));
			else this.run.addResults([creation], unknownOutcome(sentElsewhere, true));
		}
		return claimed;
	}
}
