/** Resolves when the user or the system asks this process to exit. */
export async function interruption(): Promise<undefined> {
	return await new Promise((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
			process.once(signal, () => resolve(undefined));
	});
}
