/** When a run stops sending: the service is broken, the user stopped the execution, or a delivery failed. */
import type { Exchange } from '../service/client';
import { isFatal, isNotFoundPage } from './classify';
import type { Halt, Outcome } from './job';

/**
 * After this many consecutive requests with an unknown outcome, the service counts as broken: every
 * additional one would leave more deliveries to check.
 */
export const maxConsecutiveUnknown = 3;

/** Whether a run goes on, by the results of its requests. */
export class Breaker {
	/** Aborted when nothing more is sent, so that requests which still wait are not sent either. */
	readonly signal: AbortSignal;

	/** Whether the service has created anything in this run. */
	hasCreated = false;

	private readonly controller = new AbortController();

	private reason?: Halt;

	private consecutiveUnknown = 0;

	/** @param stopped aborted when the user or a timeout stops the execution */
	constructor(private readonly stopped?: AbortSignal) {
		const { signal } = this.controller;
		this.signal = stopped ? AbortSignal.any([stopped, signal]) : signal;
	}

	get isHalted(): boolean {
		return this.signal.aborted;
	}

	/** Why the run may not use the ledger: n8n waits for its end, or the ledger has failed. */
	get withoutLedger(): Halt | undefined {
		if (this.stopped?.aborted) return { code: 'stopped' };
		return this.reason?.code === 'store' ? this.reason : undefined;
	}

	/** Stops the run. @returns why: the first reason counts */
	halt(reason: Halt): Halt {
		this.controller.abort();
		return (this.reason ??= reason);
	}

	/** Takes the result of a request into account. */
	observe(exchange: Exchange, outcomes: readonly Outcome[]): void {
		const has = (kind: Outcome['kind']) => outcomes.some((outcome) => outcome.kind === kind);
		const isUnknown = has('unknown') && !has('created');
		const isWrongUrl = isUnknown && !this.hasCreated && isNotFoundPage(exchange);
		this.hasCreated ||= has('created');
		this.consecutiveUnknown = isUnknown ? this.consecutiveUnknown + 1 : 0;
		if (isFatal(exchange) || isWrongUrl || this.consecutiveUnknown >= maxConsecutiveUnknown)
			this.halt({ code: 'exchange', exchange });
	}
}
