const secondsBetweenLines = 10;

/** Only ends what hangs: less than a test may take (10 minutes), more than a killed worker's lock (6). */
export const patienceMs = 8 * 60_000;

/**
 * Runs a long step and logs its progress: a line at the start, one every ten seconds and one at the
 * end. Returns the result of `work`, whose errors are passed on.
 */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	const started = Date.now();
	const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`;
	console.log(`- ${title} ...`);
	const timer = setInterval(() => console.log(`    ... ${elapsed()}`), secondsBetweenLines * 1000);
	try {
		const result = await work();
		console.log(`  done (${elapsed()})`);
		return result;
	} finally {
		clearInterval(timer);
	}
}

/**
 * Polls until there is a result.
 *
 * @param subject what to wait for, for the message: `n8n to respond`
 * @param poll returns the result, or undefined or false if there is none yet; its errors are passed on
 * @param timeoutMs how long to wait
 * @returns the result
 * @throws Error on timeout
 */
export async function waitFor<T>(
	subject: string,
	poll: () => T | false | undefined | Promise<T | false | undefined>,
	timeoutMs = patienceMs,
): Promise<T> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const result = await poll();
		if (result !== undefined && result !== false) return result;
		if (Date.now() > deadline) {
			throw new Error(`Timeout after ${Math.round(timeoutMs / 1000)} s waiting for ${subject}`);
		}
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
}
