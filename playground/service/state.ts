import type { Action, StoredDelivery, Webhook } from './shapes';

/**
 * What the local service remembers: deliveries by identifier and by reference, and subscriptions.
 * Entries are replaced, never altered, so that a list handed out stays as it was.
 */
export class State {
	private readonly deliveriesById = new Map<string, StoredDelivery>();
	private readonly idsByReference = new Map<string, Set<string>>();
	private readonly webhooksByKey = new Map<string, Webhook>();
	/** How many duplicate subscriptions were added; makes their keys unique. */
	private duplicates = 0;

	/** `changed` is called after every change. */
	constructor(private readonly changed: () => void) {}

	/** Forgets everything. */
	clear(): void {
		this.deliveriesById.clear();
		this.idsByReference.clear();
		this.webhooksByKey.clear();
		this.changed();
	}

	/** All deliveries, in the order of their creation. */
	deliveries(): StoredDelivery[] {
		return [...this.deliveriesById.values()];
	}

	/** The delivery with this identifier, if there is one. */
	delivery(id: string): StoredDelivery | undefined {
		return this.deliveriesById.get(id);
	}

	/** Every delivery that carries this reference identifier. */
	deliveriesWithReference(referenceId: string): StoredDelivery[] {
		const ids = this.idsByReference.get(referenceId) ?? [];
		return [...ids].flatMap((id) => this.deliveriesById.get(id) ?? []);
	}

	/** Adds a delivery, or replaces the one with its identifier. */
	put(delivery: StoredDelivery): void {
		const { id, referenceId } = delivery.record;
		const before = this.deliveriesById.get(id)?.record.referenceId;
		if (before !== referenceId) {
			if (before !== undefined) this.idsByReference.get(before)?.delete(id);
			if (referenceId !== undefined) {
				const ids = this.idsByReference.get(referenceId) ?? new Set();
				this.idsByReference.set(referenceId, ids.add(id));
			}
		}
		this.deliveriesById.set(id, delivery);
		this.changed();
	}

	/** All subscriptions, or a company's, in the order in which they were made. */
	webhooks(companyId?: number): Webhook[] {
		const all = [...this.webhooksByKey.values()];
		return companyId === undefined ? all : all.filter((hook) => hook.companyId === companyId);
	}

	/** Subscribes; an existing subscription stays as it is. */
	subscribe(companyId: number, url: string, action: Action): void {
		const key = webhookKey(companyId, url, action);
		if (this.webhooksByKey.has(key)) return;
		this.webhooksByKey.set(key, { companyId, url, action, status: 'Active' });
		this.changed();
	}

	/** Subscribes a URL, as a duplicate if it is already subscribed. */
	subscribeDuplicate(companyId: number, url: string, action: Action): void {
		const key = webhookKey(companyId, url, action);
		const before = this.webhooksByKey.get(key);
		if (before === undefined) return this.subscribe(companyId, url, action);
		this.duplicates += 1;
		this.webhooksByKey.set(`${key} ${this.duplicates}`, { ...before, status: 'Active' });
		this.changed();
	}

	/** Unsubscribes; tells whether there was such a subscription. */
	unsubscribe(companyId: number, url: string, action: Action): boolean {
		for (const [key, hook] of [...this.webhooksByKey].reverse()) {
			if (hook.companyId !== companyId || hook.url !== url || hook.action !== action) continue;
			this.webhooksByKey.delete(key);
			this.changed();
			return true;
		}
		return false;
	}

	/** Bans a URL from an event, for every company; gives how many subscriptions that were. */
	ban(url: string, action: Action): number {
		const banned = [...this.webhooksByKey].filter(
			([, hook]) => hook.url === url && hook.action === action,
		);
		for (const [key, hook] of banned) this.webhooksByKey.set(key, { ...hook, status: 'Banned' });
		this.changed();
		return banned.length;
	}
}

function webhookKey(companyId: number, url: string, action: Action): string {
	return `${companyId} ${action} ${url}`;
}
