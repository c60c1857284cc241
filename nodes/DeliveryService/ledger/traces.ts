/** Traces of orders that were met and not sent: an order that is met late and has none is not sent. */
import type { Access } from './access';
import type { Claim, Found } from './claims';
import { entryOf, referenceOf } from './entries';
import type { FoundReference } from './references';

/** What the memory says about an order that was met and not sent. */
export type Trace = 'seen' | 'named';

/** The entry of an order's trace: its oldest, so it has the name from before any use of Allow Resending. */
export function traceEntry({ companyId, referenceId, orderId = '', part }: Claim, trace: Trace) {
	return entryOf(referenceOf(companyId, part?.orderReferenceId ?? referenceId), trace, orderId);
}

/**
 * Sets whether the orders of late deliveries were seen or named. After a claim, also a released one of a
 * fulfillment order, or Allow Resending, an order counts as seen, and not as named.
 */
export async function readTraces(access: Access, found: ReadonlyMap<Claim, Found>): Promise<void> {
	const untraced = [...found].filter(
		([{ isLate }, { state, isSeen }]) => isLate && state === 'free' && !isSeen,
	);
	const claims = untraced.map(([, { claimEntry }]) => claimEntry);
	// If this fails, the answers can't be relied on later: then the claims stay, and are unknown.
	access.setPurpose(claims, 'shared');
	const known = await access.ask(
		untraced.flatMap(([claim]) => [traceEntry(claim, 'seen'), traceEntry(claim, 'named')]),
	);
	access.setPurpose(claims, 'claim');
	for (const [claim, one] of untraced) {
		one.isSeen = known.has(traceEntry(claim, 'seen'));
		one.isNamed = known.has(traceEntry(claim, 'named'));
	}
}

/** Whether a reference was ever claimed; undefined if it was not, so that its order may have another trace. */
export function wasClaimed({ state, resends }: FoundReference): true | undefined {
	return state === 'free' && resends === 0 ? undefined : true;
}
