/** What a delivery claims before it is sent, what is found about it, and the claims of whole orders. */
import type { Access } from './access';
import type { Change, FoundChange, SentAs } from './changes';
import type { AsOf, Holder } from './processMemory';
import {
	claimEntryOf,
	claimReferences,
	createdEntries,
	unknownReference,
	type FoundReference,
	type ReferenceState,
} from './references';
import { traceOfClaims, type Trace } from './traces';
import type { ClaimedLine } from './units';

/** What a delivery claims before it is sent. */
export interface Claim {
	readonly referenceId: string;
	/** The child company that the reference ID belongs to; undefined for the own company. */
	readonly companyId?: number;
	/** Unique across all shops, while two orders may share a reference ID. */
	readonly orderId?: string;
	/** Set for a fulfillment order. */
	readonly part?: OrderPart;
	/** Whether its order is so old that there must be a trace of it: only then, one is looked for. */
	readonly isLate?: boolean;
	/** What it is sent as; undefined if later changes of its order are not compared. */
	readonly sentAs?: SentAs;
	/** When its order was in this state. */
	readonly asOf?: AsOf;
}

/** The part of an order that one delivery takes. */
export interface OrderPart {
	/** The reference ID that the whole order would have. */
	readonly orderReferenceId: string;
	/** All line items of the order. */
	readonly lines: readonly ClaimedLine[];
}

/** Whether a delivery may be sent, or why not: what its reference says, and its order and its units. */
export type ClaimState =
	| ReferenceState
	/** It is a fulfillment order that was created with fewer units. */
	| 'grown'
	/** It is a fulfillment order, and a delivery was created for the whole order. */
	| 'wholeCreated'
	/** It is a fulfillment order, and the whole order is unknown. */
	| 'wholeUnknown'
	/** It is a fulfillment order, and other ones have claimed all or some of its units. */
	| 'unitsSent'
	| 'unitsPartlySent';

/** What is known about a delivery before its claim. */
export interface Found {
	state: ClaimState;
	/** If it was created: how its order has changed since it was sent, or since the last such change. */
	change?: Change;
	/** If it is free and its order is late: the trace of the order, or its own. */
	trace?: Trace | 'none';
	/** Whether a later state of its order was certainly met before, which decides about it. */
	isOutdated?: boolean;
	/** The execution that has the claim; undefined if it is of another process, or of one that crashed. */
	holder?: Holder;
}

/** The same, with the entries of its claim and its change. */
export interface FoundClaim extends Found {
	change?: FoundChange;
	/** Its own claim, or that of its whole order. */
	claimEntry: string;
	/** To record before anything is sent. */
	inAdvance?: readonly string[];
	/** If it is claimed: to record when it was created, and to remove if it was not. */
	confirmed?: readonly string[];
	released?: readonly string[];
}

/**
 * Finds out which whole orders, and deliveries without one, are free, and claims these.
 *
 * @param claims those of fulfillment orders are left out
 */
export async function findWholes(
	access: Access,
	claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, FoundClaim>> {
	const wholes = claims
		.filter(({ part }) => !part)
		.map((claim) => ({ claim, own: wholeReference(claim) }));
	await claimReferences(
		access,
		wholes.map(({ own }) => own),
		'claim',
	);
	return new Map(
		wholes.map(({ claim, own }) => [claim, { ...foundOf(own), trace: traceOfClaims(own) }]),
	);
}

function wholeReference({ companyId, referenceId, orderId = '', sentAs }: Claim): FoundReference {
	const own = { ...unknownReference(companyId, referenceId), orderId };
	// Without an order, there is nothing to compare it with.
	return orderId === '' ? own : { ...own, sentAs };
}

/** What was found about a delivery. */
export function foundOf(own: FoundReference): FoundClaim {
	const { state, change } = own;
	const claimEntry = claimEntryOf(own);
	if (state !== 'free') return { state, change, claimEntry };
	return { state, claimEntry, confirmed: createdEntries(own), released: [claimEntry] };
}
