/** The fixture of all cases: the local service, a clock without real waits, and a spied log. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';

import { realClock } from '../../../nodes/DeliveryService/common/clock';
import { setUp, type Setup } from '../actionNode';
import { openTrigger, type Trigger } from '../engine/engine';

/** The name for no variant: the service behaves as openapi.yaml describes. */
export const documented = 'as-documented';

/**
 * Webhooks of other programs, which no operation may change. Under a variant about empty lists, the
 * company has none.
 */
function foreignWebhooks(variant: string) {
	const ofOtherCompany = { url: 'https://other.example/hook', action: 1, companyId: 1002 };
	if (variant.startsWith('list-empty')) return [ofOtherCompany];
	const url = 'https://other.example/hook?event=updateTask';
	return [{ url, action: 3, companyId: 1001 }, ofOtherCompany];
}

/** Secrets and personal data that must not appear in messages and log lines. */
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

/** The codes of a successful 2xx response. */
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

	/** Replaces real waits with jumps of the clock, and spies on the log. */
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

	/** Subscribes the webhooks of other programs. Call it before `simulate`. */
	async addForeignWebhooks(variant: string): Promise<void> {
		this.foreign = foreignWebhooks(variant);
		for (const { url, action, companyId } of this.foreign)
			await this.service.subscribe(url, action, companyId);
	}

	/** Ends the variant and deactivates the triggers of the case. */
	async end(): Promise<void> {
		this.control.settings({ variant: null });
		for (const trigger of this.triggers.splice(0)) await trigger.deactivate();
		jest.restoreAllMocks();
	}

	/** Lets the service simulate a variant. */
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

	/** The log lines so far with the levels error and warn. */
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

	/** The service's own messages in the responses to failed requests, starting with a request. */
	failureMessages(firstRequest = 0): string[] {
		const messages = this.control
			.requests()
			.slice(firstRequest)
			.flatMap(({ status, responseBody }, index, { length }) => {
				const response = responseSchema.safeParse(responseBody);
				if (!response.success || status === null) return [];
				// The user need not see a 429 that was retried.
				if (status === 429 && index < length - 1) return [];
				// Nor that a placeholder of Reactivate, which it removes in any case, did not exist.
				if (response.data.message?.includes('/n8n/reactivating/')) return [];
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

/** Ignores the query, which a variant may store in another form. */
function withoutQuery({ url, ...webhook }: { url: string; action: number; companyId: number }) {
	return { ...webhook, url: url.split('?')[0] };
}

/** Sets up the fixture of a test file. Each test starts with an empty service. */
export function setUpVariants(): VariantFixture {
	const fixture = new VariantFixture(setUp());
	beforeEach(() => fixture.begin());
	afterEach(async () => await fixture.end());
	return fixture;
}
