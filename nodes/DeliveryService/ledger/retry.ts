/** How often the database is asked again. */
import type { Clock } from '../common/clock';

/** Tries an access again after a hiccup, up to three times. @throws when the last attempt fails */
export async function retry<Result>(
	clock: Clock,
	access: () => Promise<Result>,
	onFailure?: () => void,
): Promise<Result> {
	for (let attempt = 1; attempt <= 3; attempt++)
		try {
			return await access();
		} catch {
			onFailure?.();
			await clock.wait(500 * attempt);
		}
	return await access();
}
