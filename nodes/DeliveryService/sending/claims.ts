import type { Ledger } from '../ledger/ledger';
import type { Claim, ReferenceState } from '../ledger/references';
import type { Problem } from '../common/result';
import { toClaimants, claimSize, maxClaimed, maxInFlight } from './batches';
import {
	alreadyCreated,
	anotherOrder,
	notSent,
	sentInParts,
	storeProblem,
	unknownElsewhere,
	wholeAlreadyCreated,
	type Creation,
	type Outcome,
	type Skipped,
} from './outcomes';

type CreationOutcome<Result> = (creation: Creation) => Result;

/** The outcomes of claims that show earlier deliveries of the same order. */
export const skippedClaims = {
	created: alreadyCreated,
	wholeCreated: wholeAlreadyCreated,
} as const satisfies Partial<Record<Claim, CreationOutcome<Skipped>>>;

const isSkippedClaim = (state: ReferenceState | Claim): state is keyof typeof skippedClaims =>
	state in skippedClaims;

/** The outcomes of claims that are neither successful nor claimed by another execution now. */
const finalOutcomes = {
	...skippedClaims,
	inParts: sentInParts,
	anotherOrder,
	lost: (creation) => unknownElsewhere(creation),
	wholeLost: (creation) => unknownElsewhere(creation, creation.orderReferenceId),
} as const satisfies Partial<Record<Claim, CreationOutcome<Outcome>>>;

/** The run that creations are claimed for. */
export interface ClaimingRun {
	/** Why nothing more is sent. */
	readonly halted?: Problem;
	/** Stops sending, and returns the first problem that did so. */
	halt(problem: Problem): Problem;
	/** Adds the outcome of creations that are not sent. */
	addResults(creations: readonly Creation[], outcome: Outcome): void;
	/** How many creations the next request contains. */
	requestSize(): number;
	/** Whether a request has certainly reached the service. */
	readonly hasCreated: boolean;
	/**
	 * Adds a creation that another execution has claimed, and may be sending now.
	 *
	 * @param reference the reference ID that was claimed: the creation's own, or its whole order's
	 */
	addClaimedElsewhere(creation: Creation, reference: string): void;
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

	/** Whether the last access found creations of an earlier run. */
	private hasFoundCreated = false;

	/** Their outcome will stay unknown, which is not recorded in the ledger yet. */
	private unrecordedLost: Creation[] = [];

	/** To release once nothing more is sent. */
	private unreleased: Creation[] = [];

	constructor(
		private readonly ledger: Ledger,
		private readonly run: ClaimingRun,
	) {}

	/** Yields the claimed creations of a group in multiples of a request; the others get an outcome. */
	async *batches(group: readonly Creation[]): AsyncGenerator<Creation[]> {
		const ready: Creation[] = [];
		let isKnown = false;
		let count = 0;
		for (let next = 0; next < group.length || this.unverified.size > 0;) {
			const usualCount = claimSize(group.length, this.run.requestSize());
			// When there was nothing left to claim, a crash can't leave anything unknown.
			count = isKnown ? Math.min(2 * count, maxClaimed) : usualCount;
			const part = group.slice(next, this.run.halted ? group.length : next + count);
			next += part.length;
			ready.push(...(await this.claim(part)));
			isKnown = part.length > 0 && this.unverified.size === 0;
			const size = this.run.requestSize();
			const sendable = ready.length - (ready.length % size);
			if (sendable > 0) yield ready.splice(0, sendable);
		}
		if (ready.length > 0) yield ready;
	}

	/**
	 * Yields the claimed creations of a small group, each with its own request, in windows as large as
	 * the number of requests in flight. When one has its responses, the next store access confirms it,
	 * so a crash leaves at most two windows unknown: one in flight, and one claimed ahead.
	 */
	async *windows(group: readonly Creation[]): AsyncGenerator<Creation[]> {
		let rest = [...group];
		let size = this.run.hasCreated ? maxInFlight : 1;
		while (rest.length > 0 || this.unverified.size > 0) {
			const part = rest.splice(0, this.run.halted ? rest.length : size);
			size = maxInFlight;
			this.hasFoundCreated = false;
			const ready = await this.claim(part);
			if (this.hasFoundCreated) rest = await this.withoutCreated(rest);
			if (ready.length > 0) yield ready;
		}
	}

	/** Removes what was created before, all in one access instead of a window at a time. */
	private async withoutCreated(creations: Creation[]): Promise<Creation[]> {
		if (creations.length <= maxInFlight) return creations;
		// If this fails, the next claim reports it.
		const states = await this.ledger.lookUp(toClaimants(creations)).catch(() => undefined);
		return creations.filter((creation) => {
			const state = states?.get(creation.delivery.referenceId ?? '') ?? 'free';
			if (!isSkippedClaim(state)) return true;
			this.run.addResults([creation], skippedClaims[state](creation));
			return false;
		});
	}

	/** Collects created deliveries for the next confirmation. */
	addCreated(creations: readonly Creation[]): void {
		this.unconfirmed.push(...creations);
	}

	/** Collects deliveries whose outcome will stay unknown, so that no other execution waits for it. */
	addLost(creations: readonly Creation[]): void {
		this.unrecordedLost.push(...creations);
	}

	/** Records the created and lost deliveries since the last store access. @throws when the store fails */
	async confirm(): Promise<void> {
		await this.ledger.proceed({
			confirmed: toClaimants(this.unconfirmed.splice(0)),
			lost: toClaimants(this.unrecordedLost.splice(0)),
		});
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
			this.hasFoundCreated ||= isSkippedClaim(claim);
			if (claim === 'claimed') claimed.push(creation);
			else if (claim === 'unknown') this.run.addClaimedElsewhere(creation, reference);
			else if (claim === 'wholeUnknown')
				this.run.addClaimedElsewhere(creation, creation.orderReferenceId ?? reference);
			else this.run.addResults([creation], finalOutcomes[claim](creation));
		}
		return claimed;
	}
}
