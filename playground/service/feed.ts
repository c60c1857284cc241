import type { Response } from 'express';

const minIntervalMs = 150;

/** Sends the state of a stand-in to its open pages, as server-sent events. */
export class Feed {
	private readonly watchers = new Set<Response>();
	private timer: NodeJS.Timeout | undefined;

	/** `getState` returns the data to send; called at limited intervals, and only for open pages. */
	constructor(private readonly getState: () => unknown) {}

	/** Sends the state a little later, together with other changes until then. */
	readonly scheduleUpdate = (): void => {
		if (this.watchers.size === 0 || this.timer !== undefined) return;
		this.timer = setTimeout(() => {
			this.timer = undefined;
			const message = this.message();
			for (const watcher of this.watchers) watcher.write(message);
		}, minIntervalMs);
	};

	/** Responds with the current state and all later ones, until the page is closed. */
	watch(res: Response): void {
		res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
		res.flushHeaders();
		res.write(this.message());
		this.watchers.add(res);
		res.on('close', () => this.watchers.delete(res));
	}

	/** Ends all responses. */
	close(): void {
		clearTimeout(this.timer);
		for (const watcher of this.watchers) watcher.end();
		this.watchers.clear();
	}

	private message(): string {
		return `data: ${JSON.stringify(this.getState())}\n\n`;
	}
}
