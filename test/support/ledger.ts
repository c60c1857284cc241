import type { Claim, Claimant, Ledger } from '../../nodes/DeliveryService/deduplication/ledger';

/** Claims references, and waits until it is known of each whether it is the ledger's. */
export async function claimWith(
	ledger: Ledger,
	claimants: readonly Claimant[],
): Promise<Map<string, Claim>> {
	const claims = new Map(await ledger.proceed({ wanted: claimants }));
	while (claims.size < claimants.length)
		for (const [reference, claim] of await ledger.proceed({})) claims.set(reference, claim);
	return claims;
}

/** Notes that the deliveries of claimed references were created. */
export async function confirmWith(ledger: Ledger, claimants: readonly Claimant[]): Promise<void> {
	await ledger.proceed({ confirmed: claimants });
}
