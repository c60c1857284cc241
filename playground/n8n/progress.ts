const secondsBetweenLines = 10;

/**
 * Runs one long step and shows that it is alive: a line when it starts, one every ten seconds, one
 * when it is done. Gives what `work` gives; a failure of `work` is passed on.
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
 * Asks again and again until there is an answer. `what` names what is waited for, for the message.
 * `ask` gives the answer, or undefined while there is none; what it throws is passed on. Throws an
 * Error when there was none in time.
 */
export async function waitFor<T>(
	what: string,
	timeoutMs: number,
	ask: () => Promise<T | undefined>,
): Promise<T> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (Date.now() > deadline) {
			throw new Error(`${what}: nothing after ${Math.round(timeoutMs / 1000)} s`);
		}
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
}
