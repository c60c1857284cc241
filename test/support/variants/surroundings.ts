/*
 * What every operation of the matrix starts from: the local service with subscriptions of other
 * programs, time that does not have to be waited for, and an ear on what n8n logs.
 */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';

import { realClock } from '../../../nodes/DeliveryService/common/clock';
import { setUp, type Setup } from '../actionNode';
import { openTrigger, type NodeRun, type Trigger } from '../engine/engine';

/** What an operation did under a variant, and what the user read of it. */
export interface Observation {
	happens: string;
	sees: readonly string[];
}

/**
 * Subscriptions of other programs, which nobody but them may touch. Where the variant is about an
 * empty list, the company has none.
 */
function foreignHooks(variant: string) {
	const others = [{ url: 'https://other.example/hook', action: 1, companyId: 1002 }];
	if (variant.startsWith('list-empty')) return others;
	const own = { url: 'https://other.example/hook?event=updateTask', action: 3, companyId: 1001 };
	return [own, ...others];
}

/** Nothing of it may stand in a log line, nor in a message that is not about it. */
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

const answerShape = z
	.object({
		code: z.unknown(),
		message: z.string(),
		payload: z.array(z.object({ message: z.string() }).partial().passthrough()).catch([]),
	})
	.partial();

/** Codes under which a 2xx answer is a success. */
const successCodes: readonly unknown[] = ['OK', 'ACCEPTED', 'DELIVERIES_CREATED', 200, undefined];

const everyLevel = ['error', 'warn', 'info', 'debug'] as const;

type Level = (typeof everyLevel)[number];

export class Surroundings {
	private readonly triggers: Trigger[] = [];
	private readonly logged = new Map<Level, jest.SpyInstance<void, Parameters<Logger['warn']>>>();
	private offsetMs = 0;
	private foreign: ReturnType<typeof foreignHooks> = [];

	constructor(readonly service: Setup) {}

	get control(): Setup['control'] {
		return this.service.control;
	}

	/** Makes time jump over what is waited for, and listens to the log. */
	begin(): void {
		// The requests of the case before are out of the limit's minute.
		this.offsetMs += 120_000;
		jest.spyOn(realClock, 'now').mockImplementation(() => Date.now() + this.offsetMs);
		jest.spyOn(realClock, 'wait').mockImplementation(async (ms, signal) => {
			if (!signal?.aborted) this.offsetMs += ms;
			await nextTurn();
		});
		const logger = Container.get(Logger);
		for (const level of everyLevel) this.logged.set(level, jest.spyOn(logger, level));
	}

	/** Says what variant the operation is for, before it is acted. */
	async prepareFor(variant: string): Promise<void> {
		this.foreign = foreignHooks(variant);
		for (const { url, action, companyId } of this.foreign)
			await this.service.subscribe(url, action, companyId);
	}

	/** Ends what an operation has left, and lets time go its way again. */
	async end(): Promise<void> {
		this.control.settings({ variant: null });
		for (const trigger of this.triggers.splice(0)) await trigger.deactivate();
		jest.restoreAllMocks();
	}

	/** Begins to act a variant; from here on its answers count. */
	choose(variant: string): void {
		this.control.settings({ variant: variant === '' ? null : variant });
	}

	async openTrigger(): Promise<Trigger> {
		const trigger = await openTrigger({
			parameters: { events: ['createTask', 'updateTask'] },
			credential: this.service.credential,
		});
		this.triggers.push(trigger);
		return trigger;
	}

	/** The lines that were logged so far, of all levels or of those that are shown by default. */
	log(levels: readonly Level[] = everyLevel): string[] {
		return levels.flatMap((level) =>
			(this.logged.get(level)?.mock.calls ?? []).map((call) => String(call[0])),
		);
	}

	/** The lines that whoever runs n8n finds in its log. */
	warnings(): string[] {
		return this.log(['error', 'warn']);
	}

	/** The subscriptions whose URL begins so, as the service keeps them. */
	hooksAt(beginning: string): Array<{ url: string; action: number; status: string }> {
		return this.control
			.webhooks()
			.filter(({ url }) => url.startsWith(beginning))
			.map(({ url, action, status }) => ({ url, action, status }));
	}

	/** The service's own words in answers that were no success, from a request on. */
	refusals(from = 0): string[] {
		const words = this.control
			.requests()
			.slice(from)
			.flatMap(({ status, answer }, index, { length }) => {
				const parsed = answerShape.safeParse(answer);
				if (!parsed.success || status === null) return [];
				// A service that was busy, and then was not, is nobody's concern.
				if (status === 429 && index < length - 1) return [];
				const { code, message, payload = [] } = parsed.data;
				const isRefusal = status >= 300 || !successCodes.includes(code);
				const ofRecords = payload.flatMap((record) => record.message ?? []);
				return [...(isRefusal && message !== undefined ? [message] : []), ...ofRecords];
			});
		return [...new Set(words)];
	}

	/** Fails when another program's subscription was touched, or a secret is told. */
	assertHarmless(texts: readonly string[]): void {
		const others = this.control.webhooks().filter(({ url }) => url.includes('other.example'));
		const kept = others.map(({ url, action, companyId }) => ({ url, action, companyId }));
		expect(kept.map(withoutForm)).toEqual(this.foreign.map(withoutForm));
		const telling = [...texts, ...this.log()].filter(
			(text) =>
				secrets.some((secret) => text.includes(secret)) || /signature=[0-9a-f]{6}/.test(text),
		);
		expect(telling).toEqual([]);
	}
}

/** A variant may keep the query in another form, but may not lose the subscription. */
function withoutForm({ url, ...hook }: { url: string; action: number; companyId: number }) {
	return { ...hook, url: url.split('?')[0] };
}

/** The surroundings of a test file: the service is emptied before each test. */
export function setUpMatrix(): Surroundings {
	const surroundings = new Surroundings(setUp());
	beforeEach(() => surroundings.begin());
	afterEach(async () => await surroundings.end());
	return surroundings;
}

const errorSchema = z.object({
	message: z.string(),
	description: z.string().nullish(),
	outcome: z.string().optional(),
});

/** What stands in an output item, as far as the matrix looks at it. */
export const itemSchema = z
	.object({
		id: z.union([z.string(), z.number().transform(String)]).optional(),
		reason: z.string().optional(),
		message: z.string().nullish(),
		error: errorSchema.optional(),
	})
	.passthrough();

/** An error as the user reads it. */
export function textOf({ message, description }: z.infer<typeof errorSchema>): string {
	return [message, description].filter(Boolean).join(' — ');
}

/** What a run of the node shows its user: errors of the run and of items, and hints. */
export function shownBy({ error, items, hints }: NodeRun): string[] {
	const ofItems = items.flatMap(({ json }) => itemSchema.parse(json).error ?? []);
	return [
		...(error === undefined ? [] : [textOf(error)]),
		...ofItems.map(textOf),
		...hints.map(({ message }) => message),
	];
}
