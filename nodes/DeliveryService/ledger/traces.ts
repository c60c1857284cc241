/** Traces of orders that were met and not sent: a late order that was not seen in time is not sent. */
import type { Access } from './access';
import type { Claim, FoundClaim } from './claims';
import { entryOf, referenceOf } from './entries';
import type { FoundReference } from './references';

/**
 * An order was met in time; or a delivery of an order that was met late, and the user was asked to look for
 * it. A fulfillment order that is released later is not sent either, so it is named as well.
 */
export type Trace = 'seen' | 'named';

/** The entry of a trace: the oldest, so it has the name from before any use of Allow Resending. */
export function traceEntry({ companyId, referenceId, orderId = '', part }: Claim, trace: Trace) {
	const ofOrder = part?.orderReferenceId ?? referenceId;
	const reference = trace === 'seen' ? ofOrder : referenceId;
	return entryOf(referenceOf(companyId, reference), trace, orderId);
}

/** Sets the traces of the orders of late deliveries that are free, and have none by a claim. */
export async function readTraces(
	access: Access,
	found: ReadonlyMap<Claim, FoundClaim>,
): Promise<void> {
	const untraced = [...found].filter(
		([{ isLate }, { state, trace }]) => isLate && state === 'free' && trace === undefined,
	);
	const claims = untraced.map(([, { claimEntry }]) => claimEntry);
	// If this fails, the answers can't be relied on later: then the claims stay, and are unknown.
	access.setPurpose(claims, 'shared');
	const known = await access.ask(
		untraced.flatMap(([claim]) => [traceEntry(claim, 'seen'), traceEntry(claim, 'named')]),
	);
	access.setPurpose(claims, 'claim');
	const traces = ['seen', 'named'] as const;
	for (const [claim, one] of untraced)
		one.trace = traces.find((trace) => known.has(traceEntry(claim, trace))) ?? 'none';
}

/**
 * The trace that earlier claims are of their order. After one, also a released one of a fulfillment order,
 * or Allow Resending, an order counts as seen, and not as named.
 */
export function traceOfClaims({ state, resends }: FoundReference): Trace | undefined {
	return state === 'free' && resends === 0 ? undefined : 'seen';
}
