/** Resolves when the user or the system asks this process to exit, and prints the message, if any. */
export async function interruption(message?: string): Promise<undefined> {
	return await new Promise((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.once(signal, () => {
				if (message !== undefined) console.log(message);
				resolve(undefined);
			});
		}
	});
}
