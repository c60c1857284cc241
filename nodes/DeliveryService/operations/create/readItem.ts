/** How an input item becomes a job: from its source, checked against every rule of the service. */
import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import { realClock } from '../../common/clock';
import { valueAt } from '../../common/data';
import type { ParameterReader } from '../../common/parameters';
import type { Problem } from '../../common/result';
import type { Claim } from '../../ledger/claims';
import { settingsProblems } from '../../messages/settings';
import type { Invalid, Job } from '../../sending/job';
import { deliverySchema, type Delivery } from '../../service/schemas';
import { serviceLabels, validate } from '../../service/validation';
import { readableText } from '../../service/values';
import type { OrderInfo } from '../../shopify/orderInfo';
import type { Skip } from '../../shopify/skipping';
import { toProblem } from '../items';
import { readItemOptions, type RunOptions } from './options';

/** What deliveries are created from: its fields, and how it reads an item. */
export interface Source {
	fields: INodeProperties[];
	/** The rules for what it reads; by default those of the fields in the editor. */
	schema?: z.ZodType<Delivery>;
	/** Reads an item, without checking the rules of the service. */
	read(parameters: ParameterReader, item: number): ReadItem;
	/** Rephrases a violated rule of the service in terms of what the user entered. */
	rephrase?(problem: Problem, referenceId: string | undefined): Problem;
	/** Whether one failed item says nothing about the others, as with the orders of a shop. */
	isIndependent?: boolean;
}

/** What a source reads from an item: a delivery, or why there is none. */
type ReadItem = {
	/** What is known about its Shopify order. */
	order?: OrderInfo;
	/** Whether a person decided to send it, however old it is. */
	isSentAnyway?: boolean;
} & ({ delivery: unknown } | { skip: Skip } | Omit<Invalid, 'kind'>);

/** What the settings of a run say about its items. */
export interface RunSettings {
	items: readonly INodeExecutionData[];
	source: Source;
	options: RunOptions;
	/** Whether the workflow remembers what it sent. */
	isRemembered: boolean;
}

/**
 * Reads an input item and checks it against every rule of the service, before anything is sent.
 *
 * @returns the job; a problem makes it invalid instead of throwing
 */
export function readItem(parameters: ParameterReader, settings: RunSettings, item: number): Job {
	const job: Job = { item };
	try {
		fillJob(job, parameters, settings);
	} catch (error) {
		setInvalid(job, withReference(job, toProblem(error)));
	}
	return job;
}

/** Fills a job from its item, step by step: what is known about it stays, even if a later step fails. */
function fillJob(job: Job, parameters: ParameterReader, settings: RunSettings): void {
	const { item } = job;
	const { items, source, options: runOptions, isRemembered } = settings;
	const called = calledAt(items[item]?.json);
	job.calledHoursAgo = hoursSince(called);
	const read = source.read(parameters, item);
	const { order } = read;
	job.order = order;
	job.referenceId = order?.referenceId;
	job.ageHours = hoursSince(timeOf(order?.createdAt));
	const { ageHours = 0 } = job;
	const isLate = ageHours > runOptions.firstSeenWithinHours && read.isSentAnyway !== true;

	const options = readItemOptions(parameters, item);
	const asOf = { call: called, order: timeOf(order?.updatedAt) };
	const toClaim = () =>
		isRemembered && options.ok
			? claimOf(job, { companyId: options.value.companyId, asOf, isLate })
			: undefined;
	// Also of an order that would not be sent now: it may have been sent before.
	job.claim = toClaim();
	if ('problem' in read) return setInvalid(job, read.problem, read.cause);
	if ('skip' in read) {
		job.outcome = { kind: 'skipped', why: { code: 'order', skip: read.skip } };
		return;
	}

	job.referenceId ??= referenceSchema.parse(read.delivery).referenceId;
	if (!options.ok) return setInvalid(job, withReference(job, options.problem));
	const schema = source.schema ?? deliverySchema;
	const delivery = validate(schema, read.delivery, 'Delivery', serviceLabels);
	if (!delivery.ok) {
		const { problem } = delivery;
		return setInvalid(
			job,
			source.rephrase?.(problem, job.referenceId) ?? withReference(job, problem),
		);
	}
	job.referenceId = delivery.value.referenceId;
	if (isRemembered && job.referenceId === undefined)
		return setInvalid(job, settingsProblems.noReference);
	job.delivery = delivery.value;
	job.companyId = options.value.companyId;
	// The type of the order's shipping method is more specific than the option.
	job.type = order?.type ?? options.value.type;
	job.claim = toClaim();
}

function setInvalid(job: Job, problem: Problem, cause?: Invalid['cause']): void {
	job.outcome = { kind: 'invalid', problem, cause };
}

/** The problem with the reference ID of its job before it, if that is known. */
function withReference({ referenceId }: Job, { message, description }: Problem): Problem {
	return {
		message: referenceId === undefined ? message : `${referenceId}: ${message}`,
		description,
	};
}

/** What the ledger records for a job; undefined without a reference ID. */
function claimOf(
	{ order, referenceId }: Job,
	more: Pick<Claim, 'companyId' | 'asOf' | 'isLate'>,
): Claim | undefined {
	if (referenceId === undefined) return undefined;
	const { shopifyOrder, part, sentAs } = order ?? {};
	return { referenceId, orderId: shopifyOrder?.id, part, sentAs, ...more };
}

/** When Shopify first called the webhook that started the workflow; its repeats keep that time. */
function calledAt(item: unknown): number | undefined {
	return timeOf(valueAt(item, ['headers', 'x-shopify-triggered-at']));
}

/** A time in milliseconds since 1970; undefined if it is not readable. */
function timeOf(text: unknown): number | undefined {
	const time = typeof text === 'string' ? Date.parse(text) : NaN;
	return Number.isNaN(time) ? undefined : time;
}

/** How long ago a time was. */
function hoursSince(time: number | undefined): number | undefined {
	return time === undefined ? undefined : (realClock.now() - time) / 3_600_000;
}

/** The reference ID of an invalid delivery, if it is readable. */
const referenceSchema = z.object({ referenceId: readableText }).catch({});
