/** What every case starts from: the local service, a clock without real waits, and a spied log. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';

import { realClock } from '../../../nodes/DeliveryService/common/clock';
import { setUp, type Setup } from '../actionNode';
import { openTrigger, type Trigger } from '../engine/engine';

/** Stands for no variant: the service does what openapi.yaml says. */
export const documented = 'as-documented';

/**
 * Webhooks of other programs, which no operation may touch. Under a variant about empty lists, the
 * company has none.
 */
function foreignWebhooks(variant: string) {
	const ofOtherCompany = { url: 'https://other.example/hook', action: 1, companyId: 1002 };
	if (variant.startsWith('list-empty')) return [ofOtherCompany];
	const url = 'https://other.example/hook?event=updateTask';
	return [{ url, action: 3, companyId: 1001 }, ofOtherCompany];
}

/** Must not appear in a log line, nor in a message that is not about it. */
const secrets = [
	'local-secret',
	Buffer.from('local-key:local-secret').toString('base64'),
	'Ana Torres',
	'ana@mail.example',
	'Maya Okafor',
	'maya.okafor@mail.example',
	'Oak Avenue',
	'Larkspur Lane',
];

const responseSchema = z
	.object({
		code: z.unknown(),
		message: z.string(),
		payload: z.array(z.object({ message: z.string() }).partial().passthrough()).catch([]),
	})
	.partial();

/** The codes with which a 2xx response is a success. */
const successCodes: readonly unknown[] = ['OK', 'ACCEPTED', 'DELIVERIES_CREATED', 200, undefined];

const logLevels = ['error', 'warn', 'info', 'debug'] as const;

type LogLevel = (typeof logLevels)[number];

export class VariantFixture {
	private readonly triggers: Trigger[] = [];
	private readonly logSpies = new Map<
		LogLevel,
		jest.SpyInstance<void, Parameters<Logger['warn']>>
	>();
	private offsetMs = 0;
	private foreign: ReturnType<typeof foreignWebhooks> = [];

	constructor(readonly service: Setup) {}

	get control(): Setup['control'] {
		return this.service.control;
	}

	/** Replaces real waits by jumps of the clock, and spies on the log. */
	begin(): void {
		// Moves the requests of the previous case out of the rate limit's minute.
		this.offsetMs += 120_000;
		jest.spyOn(realClock, 'now').mockImplementation(() => Date.now() + this.offsetMs);
		jest.spyOn(realClock, 'wait').mockImplementation(async (ms, signal) => {
			if (!signal?.aborted) this.offsetMs += ms;
			await nextTurn();
		});
		const logger = Container.get(Logger);
		for (const level of logLevels) this.logSpies.set(level, jest.spyOn(logger, level));
	}

	/** Subscribes the webhooks of other programs. The service still does what is documented. */
	async addForeignWebhooks(variant: string): Promise<void> {
		this.foreign = foreignWebhooks(variant);
		for (const { url, action, companyId } of this.foreign)
			await this.service.subscribe(url, action, companyId);
	}

	/** Ends the variant and closes what a case has opened. */
	async end(): Promise<void> {
		this.control.settings({ variant: null });
		for (const trigger of this.triggers.splice(0)) await trigger.deactivate();
		jest.restoreAllMocks();
	}

	/** Starts a variant. */
	simulate(variant: string): void {
		this.control.settings({ variant: variant === documented ? null : variant });
	}

	async openTrigger(): Promise<Trigger> {
		const trigger = await openTrigger({
			parameters: { events: ['createTask', 'updateTask'] },
			credential: this.service.credential,
		});
		this.triggers.push(trigger);
		return trigger;
	}

	/** The log lines so far that n8n shows by default. */
	warnings(): string[] {
		return this.logLines(['error', 'warn']);
	}

	private logLines(levels: readonly LogLevel[] = logLevels): string[] {
		return levels.flatMap((level) =>
			(this.logSpies.get(level)?.mock.calls ?? []).map((call) => String(call[0])),
		);
	}

	/** The stored webhooks whose URL starts with a prefix. */
	webhooksAt(urlPrefix: string): Array<{ url: string; action: number; status: string }> {
		return this.control
			.webhooks()
			.filter(({ url }) => url.startsWith(urlPrefix))
			.map(({ url, action, status }) => ({ url, action, status }));
	}

	/** The service's own messages in the responses to failed requests, from a request on. */
	failureMessages(firstRequest = 0): string[] {
		const messages = this.control
			.requests()
			.slice(firstRequest)
			.flatMap(({ status, responseBody }, index, { length }) => {
				const response = responseSchema.safeParse(responseBody);
				if (!response.success || status === null) return [];
				// The user need not see a 429 that was retried.
				if (status === 429 && index < length - 1) return [];
				const { code, message, payload = [] } = response.data;
				const isFailure = status >= 300 || !successCodes.includes(code);
				const recordMessages = payload.flatMap((record) => record.message ?? []);
				return [...(isFailure && message !== undefined ? [message] : []), ...recordMessages];
			});
		return [...new Set(messages)];
	}

	/** Fails if a webhook of another program has changed, or if a secret is in a message or the log. */
	expectNoHarm(messages: readonly string[]): void {
		const others = this.control.webhooks().filter(({ url }) => url.includes('other.example'));
		const stored = others.map(({ url, action, companyId }) => ({ url, action, companyId }));
		expect(stored.map(withoutQuery)).toEqual(this.foreign.map(withoutQuery));
		const leaks = [...messages, ...this.logLines()].filter(
			(text) =>
				secrets.some((secret) => text.includes(secret)) || /signature=[0-9a-f]{6}/.test(text),
		);
		expect(leaks).toEqual([]);
	}
}

/** A variant may store the query in another form, but must not lose the webhook. */
function withoutQuery({ url, ...webhook }: { url: string; action: number; companyId: number }) {
	return { ...webhook, url: url.split('?')[0] };
}

/** The fixture of a test file. The service is empty at the start of each test. */
export function setUpVariants(): VariantFixture {
	const fixture = new VariantFixture(setUp());
	beforeEach(() => fixture.begin());
	afterEach(async () => await fixture.end());
	return fixture;
}
