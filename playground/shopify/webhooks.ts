import { createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import axios from 'axios';
import { z } from 'zod';

import { loopbackHosts } from '../service/events';
import type { App } from './app';
import { ShopRejection, toShopifyTime } from './shapes';

/** Shopify waits 5 s. Longer here, so that nothing depends on the speed of the machine. */
const responseTimeoutMs = 60_000;
/** The pause between the subscribers of a topic. */
const pauseMs = 3_000;
const apiVersion = '2024-07';
const firstWebhookId = 1_400_000_000_000;
/** When Shopify sends a message again that had no successful response, in minutes after the event. */
const retryMinutes = [1, 3, 7, 15, 30, 60, 120, 240];
const msPerMinute = 60_000;

/** A subscription to a topic; `address` is Shopify's name for the URL. */
export interface Webhook {
	readonly id: number;
	readonly topic: string;
	readonly address: string;
	readonly format: 'json';
	readonly api_version: string;
	readonly created_at: string;
	readonly updated_at: string;
}

interface Subscription extends Webhook {
	/** Created under Settings > Notifications: signed with the key shown there, and never deleted. */
	readonly isFromAdmin: boolean;
}

/** A message to one subscriber. */
export interface Message {
	/** Stays the same when the message is resent. */
	readonly id: string;
	readonly at: number;
	readonly webhookId: number;
	readonly topic: string;
	readonly url: string;
	/** The name of the order or fulfillment. */
	readonly subject: string;
	readonly body: string;
	/** The HTTP status of each attempt, or null if there was no response. */
	readonly statuses: ReadonlyArray<number | null>;
}

/** The saved subscriptions and messages. */
const savedShape = z.object({
	subscriptions: z.array(z.custom<Subscription>()),
	messages: z.array(z.custom<Message>()),
});

interface WebhooksOptions {
	readonly shopDomain: string;
	/** Signs the messages of the subscriptions that it creates. */
	readonly app: App;
	readonly now: () => number;
	/** Called after every change. */
	readonly onChange: () => void;
}

/** The shop's webhooks: subscriptions and sent messages. */
export class Webhooks {
	/** Signs the messages of the webhooks under Settings > Notifications, which shows it. */
	adminKey = 'local-admin-key';
	private readonly webhooksById = new Map<number, Subscription>();
	private readonly messagesById = new Map<string, Message>();
	private readonly inFlight = new Set<Promise<void>>();
	private readonly agent = new http.Agent();
	private lastId = firstWebhookId;

	constructor(private readonly options: WebhooksOptions) {}

	/** What {@link restore} needs to go on after a restart. */
	save(): z.input<typeof savedShape> {
		return { subscriptions: [...this.webhooksById.values()], messages: this.messages() };
	}

	/** Adds saved data. Throws a ZodError if it was not saved by {@link save}. */
	restore(saved: unknown): void {
		const { subscriptions, messages } = savedShape.parse(saved);
		for (const webhook of subscriptions) this.webhooksById.set(webhook.id, webhook);
		for (const message of messages) this.messagesById.set(message.id, message);
		this.lastId = Math.max(this.lastId, ...subscriptions.map(({ id }) => id));
	}

	/** All subscriptions of the app, or those to a topic. */
	list(topic?: string): Webhook[] {
		const all = [...this.webhooksById.values()].filter(({ isFromAdmin }) => !isFromAdmin);
		return topic === undefined ? all : all.filter((webhook) => webhook.topic === topic);
	}

	/** The webhooks under Settings > Notifications, which the app does not see. */
	adminList(): Webhook[] {
		return [...this.webhooksById.values()].filter(({ isFromAdmin }) => isFromAdmin);
	}

	/**
	 * Subscribes a URL to a topic, as the app does, or a person under Settings > Notifications. Throws a
	 * ShopRejection (422) if it is subscribed already or is not on this machine.
	 */
	subscribe(topic: string, address: string, isFromAdmin = false): Webhook {
		if (!URL.canParse(address) || !loopbackHosts.has(new URL(address).hostname)) {
			throw new ShopRejection(422, { address: ['is not on this machine'] });
		}
		if (this.list(topic).some((webhook) => webhook.address === address)) {
			throw new ShopRejection(422, { address: ['for this topic has already been taken'] });
		}
		this.lastId += 1;
		const time = toShopifyTime(this.options.now());
		const webhook = {
			id: this.lastId,
			topic,
			address,
			format: 'json' as const,
			api_version: apiVersion,
			created_at: time,
			updated_at: time,
		};
		this.webhooksById.set(webhook.id, { ...webhook, isFromAdmin });
		this.options.onChange();
		return webhook;
	}

	/** Deletes a subscription. Throws a ShopRejection (404) if there is none with this ID. */
	unsubscribe(id: number): void {
		if (!this.webhooksById.delete(id)) throw new ShopRejection(404, 'Not Found');
		this.options.onChange();
	}

	/** The messages, oldest first. */
	messages(): Message[] {
		return [...this.messagesById.values()];
	}

	/**
	 * Sends an event to the subscribers of its topic: to the newest one immediately, to the others with
	 * pauses. So when a user executes a published workflow in the editor, this execution does the work,
	 * not that of the published version.
	 */
	report(topic: string, resource: object): void {
		const subject = 'name' in resource ? String(resource.name) : '';
		const all = [...this.webhooksById.values()].filter((webhook) => webhook.topic === topic);
		for (const [index, { id: webhookId, address, isFromAdmin }] of all.reverse().entries()) {
			const seen = isFromAdmin ? resource : this.options.app.visible(resource);
			const message: Message = {
				id: randomUUID(),
				at: this.options.now(),
				webhookId,
				topic,
				url: address,
				subject,
				body: JSON.stringify(seen),
				statuses: [],
			};
			this.messagesById.set(message.id, message);
			this.track(this.sendLater(message, index * pauseMs));
		}
	}

	/** Sends messages again, by default those without a successful response, and waits for the responses. */
	async resend(
		messages = this.messages().filter(({ statuses }) => !statuses.some(isSuccess)),
	): Promise<void> {
		await Promise.all(messages.map(({ id }) => this.resendMessage(id)));
	}

	/**
	 * Sends the messages again that are due. After 8 retries, Shopify gives up, and deletes the
	 * subscription if the app created it.
	 */
	async retryDue(): Promise<void> {
		await this.settled();
		for (const { id } of this.messages()) await this.retryMessage(id);
	}

	private async retryMessage(id: string): Promise<void> {
		for (const [index, minutes] of retryMinutes.entries()) {
			const message = this.messagesById.get(id);
			if (message === undefined || message.statuses.some(isSuccess)) return;
			if (this.options.now() < message.at + minutes * msPerMinute) return;
			if (message.statuses.length > index + 1) continue;
			if (!this.webhooksById.has(message.webhookId)) return;
			await this.send(message);
		}
		const { webhookId, statuses = [] } = this.messagesById.get(id) ?? {};
		const webhook = this.webhooksById.get(webhookId ?? 0);
		if (webhook && !webhook.isFromAdmin && !statuses.some(isSuccess)) this.unsubscribe(webhook.id);
	}

	/** Waits until no message is scheduled or in flight. */
	async settled(): Promise<void> {
		while (this.inFlight.size > 0) await Promise.all(this.inFlight);
	}

	/** Deletes subscriptions and messages. */
	clear(): void {
		this.webhooksById.clear();
		this.messagesById.clear();
		this.options.onChange();
	}

	/** Closes the connections. */
	close(): void {
		this.agent.destroy();
	}

	private async sendLater(message: Message, delayMs: number): Promise<void> {
		if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
		await this.send(message);
	}

	private async resendMessage(id: string): Promise<void> {
		const message = this.messagesById.get(id);
		if (message !== undefined) await this.send(message);
	}

	private track(sending: Promise<void>): void {
		this.inFlight.add(sending);
		void sending.finally(() => this.inFlight.delete(sending));
	}

	private async send({ id, at, webhookId, topic, url, body }: Message): Promise<void> {
		const { shopDomain, app, onChange } = this.options;
		const isFromAdmin = this.webhooksById.get(webhookId)?.isFromAdmin === true;
		const secret = isFromAdmin ? this.adminKey : app.clientSecret;
		onChange();
		const status = await this.post(url, body, {
			'Content-Type': 'application/json',
			'X-Shopify-Topic': topic,
			'X-Shopify-Hmac-Sha256': createHmac('sha256', secret).update(body).digest('base64'),
			'X-Shopify-Shop-Domain': shopDomain,
			'X-Shopify-API-Version': apiVersion,
			'X-Shopify-Webhook-Id': id,
			'X-Shopify-Triggered-At': new Date(at).toISOString(),
		});
		const message = this.messagesById.get(id);
		if (message === undefined) return;
		this.messagesById.set(id, { ...message, statuses: [...message.statuses, status] });
		onChange();
	}

	private async post(
		url: string,
		body: string,
		headers: Record<string, string>,
	): Promise<number | null> {
		try {
			const { status } = await axios.post<unknown>(url, body, {
				headers,
				httpAgent: this.agent,
				maxRedirects: 0,
				proxy: false,
				timeout: responseTimeoutMs,
				validateStatus: null,
			});
			return status;
		} catch {
			return null;
		}
	}
}

function isSuccess(status: number | null): boolean {
	return status !== null && status >= 200 && status < 300;
}
