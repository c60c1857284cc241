import { createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import axios from 'axios';

import { loopbackHosts } from '../service/events';
import { ShopRefusal, timeText } from './shapes';

/** Shopify waits 5 s; here nothing is to depend on how fast the machine is. */
const answerTimeoutMs = 60_000;
/** Between the subscribers of one topic. */
const pauseMs = 3_000;
const apiVersion = '2024-07';
const firstWebhookId = 1_400_000_000_000;

/** A subscription of an address to a topic. */
export interface Webhook {
	readonly id: number;
	readonly topic: string;
	readonly address: string;
	readonly format: 'json';
	readonly api_version: string;
	readonly created_at: string;
	readonly updated_at: string;
}

/** A report that was sent to one subscriber. */
export interface Message {
	/** The same each time that the message is sent. */
	readonly id: string;
	readonly at: number;
	readonly topic: string;
	readonly address: string;
	/** The order or fulfillment that it is about, by its name. */
	readonly about: string;
	readonly body: string;
	/** The subscriber's answers, one each time that it was sent; null when there was none. */
	readonly answers: ReadonlyArray<number | null>;
}

interface WebhooksOptions {
	readonly shopDomain: string;
	/** Signs what is sent. */
	readonly secret: string;
	readonly now: () => number;
	/** Called after every change. */
	readonly changed: () => void;
}

/** The shop's webhooks: who is subscribed to what, and what was sent to them. */
export class Webhooks {
	private readonly webhooksById = new Map<number, Webhook>();
	private readonly messagesById = new Map<string, Message>();
	private readonly underWay = new Set<Promise<void>>();
	private readonly agent = new http.Agent({ keepAlive: true });
	private lastId = firstWebhookId;

	constructor(private readonly options: WebhooksOptions) {}

	/** All subscriptions, or those to a topic. */
	list(topic?: string): Webhook[] {
		const all = [...this.webhooksById.values()];
		return topic === undefined ? all : all.filter((webhook) => webhook.topic === topic);
	}

	/**
	 * Subscribes an address. Throws a ShopRefusal (422) when it is subscribed already, or is none that
	 * can be called from here.
	 */
	subscribe(topic: string, address: string): Webhook {
		if (!URL.canParse(address) || !loopbackHosts.has(new URL(address).hostname)) {
			throw new ShopRefusal(422, { address: ['is not on this machine'] });
		}
		if (this.list(topic).some((webhook) => webhook.address === address)) {
			throw new ShopRefusal(422, { address: ['for this topic has already been taken'] });
		}
		this.lastId += 1;
		const time = timeText(this.options.now());
		const webhook: Webhook = {
			id: this.lastId,
			topic,
			address,
			format: 'json',
			api_version: apiVersion,
			created_at: time,
			updated_at: time,
		};
		this.webhooksById.set(webhook.id, webhook);
		this.options.changed();
		return webhook;
	}

	/** Ends a subscription. Throws a ShopRefusal (404). */
	unsubscribe(id: number): void {
		if (!this.webhooksById.delete(id)) throw new ShopRefusal(404, 'Not Found');
		this.options.changed();
	}

	/** What was sent, oldest first. */
	messages(): Message[] {
		return [...this.messagesById.values()];
	}

	/**
	 * Sends a report to everybody who is subscribed to its topic, the newest subscriber at once, the
	 * others one after the other: so a person who executes a workflow in n8n's editor that is also
	 * published sees it do the work, and not that the other run has done it.
	 */
	report(topic: string, subject: object): void {
		const about = 'name' in subject ? String(subject.name) : '';
		for (const [place, { address }] of this.list(topic).reverse().entries()) {
			const message: Message = {
				id: randomUUID(),
				at: this.options.now(),
				topic,
				address,
				about,
				body: JSON.stringify(subject),
				answers: [],
			};
			this.messagesById.set(message.id, message);
			this.track(this.sendLater(message, place * pauseMs));
		}
	}

	/** Sends messages again, by default those that nobody has taken, and waits for the answers. */
	async repeat(
		messages = this.messages().filter(({ answers }) => !answers.some(isSuccess)),
	): Promise<void> {
		await Promise.all(messages.map(({ id }) => this.sendAgain(id)));
	}

	/** Waits until nothing that was to be sent is on its way. */
	async settled(): Promise<void> {
		while (this.underWay.size > 0) await Promise.all(this.underWay);
	}

	/** Forgets subscriptions and messages. */
	clear(): void {
		this.webhooksById.clear();
		this.messagesById.clear();
		this.options.changed();
	}

	/** Closes the connections. */
	close(): void {
		this.agent.destroy();
	}

	private async sendLater(message: Message, delayMs: number): Promise<void> {
		if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
		await this.send(message);
	}

	private async sendAgain(id: string): Promise<void> {
		const message = this.messagesById.get(id);
		if (message !== undefined) await this.send(message);
	}

	private track(work: Promise<void>): void {
		this.underWay.add(work);
		void work.finally(() => this.underWay.delete(work));
	}

	private async send({ id, topic, address, body }: Message): Promise<void> {
		const { shopDomain, secret, now, changed } = this.options;
		changed();
		const answer = await this.answerOf(address, body, {
			'Content-Type': 'application/json',
			'X-Shopify-Topic': topic,
			'X-Shopify-Hmac-Sha256': createHmac('sha256', secret).update(body).digest('base64'),
			'X-Shopify-Shop-Domain': shopDomain,
			'X-Shopify-API-Version': apiVersion,
			'X-Shopify-Webhook-Id': id,
			'X-Shopify-Triggered-At': new Date(now()).toISOString(),
		});
		const message = this.messagesById.get(id);
		if (message === undefined) return;
		this.messagesById.set(id, { ...message, answers: [...message.answers, answer] });
		changed();
	}

	private async answerOf(
		address: string,
		body: string,
		headers: Record<string, string>,
	): Promise<number | null> {
		try {
			const { status } = await axios.post<unknown>(address, body, {
				headers,
				httpAgent: this.agent,
				maxRedirects: 0,
				proxy: false,
				timeout: answerTimeoutMs,
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
