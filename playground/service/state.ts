import { z } from 'zod';

import type { Action, StoredDelivery, Webhook } from './shapes';

/** The saved data of the local service. */
export const savedStateShape = z.object({
	deliveries: z.array(z.custom<StoredDelivery>()),
	webhooks: z.array(z.custom<Webhook>()),
});

/**
 * The data of the local service: deliveries by ID and by reference, and subscriptions. Entries are
 * replaced, never modified, so that returned lists don't change.
 */
export class State {
	private readonly deliveriesById = new Map<string, StoredDelivery>();
	private readonly idsByReference = new Map<string, Set<string>>();
	private readonly webhooksByKey = new Map<string, Webhook>();

	/** `onChange` is called after every change. */
	constructor(private readonly onChange: () => void) {}

	/** Deletes everything. */
	clear(): void {
		this.deliveriesById.clear();
		this.idsByReference.clear();
		this.webhooksByKey.clear();
		this.onChange();
	}

	/** Adds saved data. */
	restore({ deliveries, webhooks }: z.infer<typeof savedStateShape>): void {
		for (const delivery of deliveries) this.put(delivery);
		for (const webhook of webhooks)
			this.webhooksByKey.set(webhookKey(webhook.companyId, webhook.url, webhook.action), webhook);
	}

	/** All deliveries, oldest first. */
	deliveries(): StoredDelivery[] {
		return [...this.deliveriesById.values()];
	}

	/** The delivery with this ID, or undefined. */
	delivery(id: string): StoredDelivery | undefined {
		return this.deliveriesById.get(id);
	}

	/** All deliveries with this reference ID. */
	deliveriesWithReference(referenceId: string): StoredDelivery[] {
		const ids = this.idsByReference.get(referenceId) ?? [];
		return [...ids].flatMap((id) => this.deliveriesById.get(id) ?? []);
	}

	/** Adds a delivery, or replaces the one with the same ID. */
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
		this.onChange();
	}

	/** All subscriptions, or those of a company, oldest first. */
	webhooks(companyId?: number): Webhook[] {
		const all = [...this.webhooksByKey.values()];
		return companyId === undefined ? all : all.filter((webhook) => webhook.companyId === companyId);
	}

	/** Subscribes a URL. An existing subscription is not changed. */
	subscribe(companyId: number, url: string, action: Action): void {
		const key = webhookKey(companyId, url, action);
		if (this.webhooksByKey.has(key)) return;
		this.webhooksByKey.set(key, { companyId, url, action, status: 'Active' });
		this.onChange();
	}

	/** Unsubscribes a URL and returns whether it was subscribed. */
	unsubscribe(companyId: number, url: string, action: Action): boolean {
		const wasSubscribed = this.webhooksByKey.delete(webhookKey(companyId, url, action));
		this.onChange();
		return wasSubscribed;
	}

	/** Bans a URL from an event, for every company; returns how many subscriptions that were. */
	ban(url: string, action: Action): number {
		const banned = [...this.webhooksByKey].filter(
			([, webhook]) => webhook.url === url && webhook.action === action,
		);
		for (const [key, webhook] of banned)
			this.webhooksByKey.set(key, { ...webhook, status: 'Banned' });
		this.onChange();
		return banned.length;
	}
}

function webhookKey(companyId: number, url: string, action: Action): string {
	return `${companyId} ${action} ${url}`;
}
