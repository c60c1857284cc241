import type { Response } from 'express';

const minIntervalMs = 150;

/** Sends views of the local service to the pages that watch it, as server-sent events. */
export class Feed {
	private readonly watchers = new Set<Response>();
	private timer: NodeJS.Timeout | undefined;

	/** `view` makes what is sent; called at most once in a while, and only for a watcher. */
	constructor(private readonly view: () => unknown) {}

	/** Tells that the view changed; it is sent a little later, together with what follows. */
	readonly changed = (): void => {
		if (this.watchers.size === 0 || this.timer !== undefined) return;
		this.timer = setTimeout(() => {
			this.timer = undefined;
			const message = this.message();
			for (const watcher of this.watchers) watcher.write(message);
		}, minIntervalMs);
	};

	/** Answers with the view as it is now and every later one, until it goes away. */
	watch(res: Response): void {
		res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
		res.flushHeaders();
		res.write(this.message());
		this.watchers.add(res);
		res.on('close', () => this.watchers.delete(res));
	}

	/** Ends all watching. */
	close(): void {
		clearTimeout(this.timer);
		for (const watcher of this.watchers) watcher.end();
		this.watchers.clear();
	}

	private message(): string {
		return `data: ${JSON.stringify(this.view())}\n\n`;
	}
}
