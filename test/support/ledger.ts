import type { Ledger } from '../../nodes/DeliveryService/ledger/ledger';
import type { Claim, Claimant } from '../../nodes/DeliveryService/ledger/references';

/** Claims references. @returns the claim of each, once it is verified */
export async function claimWith(
	ledger: Ledger,
	claimants: readonly Claimant[],
): Promise<Map<string, Claim>> {
	const claims = new Map(await ledger.proceed({ wanted: claimants }));
	while (claims.size < claimants.length)
		for (const [reference, claim] of await ledger.proceed({})) claims.set(reference, claim);
	return claims;
}

/** Records that the deliveries of claimed references were created. */
export async function confirmWith(ledger: Ledger, claimants: readonly Claimant[]): Promise<void> {
	await ledger.proceed({ confirmed: claimants });
}
