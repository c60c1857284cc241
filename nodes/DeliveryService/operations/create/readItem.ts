/** How an input item becomes a job: from its source, checked against every rule of the service. */
import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import { realClock } from '../../common/clock';
import { valueAt } from '../../common/data';
import type { ParameterReader } from '../../common/parameters';
import { failure, type Problem, type Result } from '../../common/result';
import type { Claim } from '../../ledger/claims';
import type { Ledger } from '../../ledger/ledger';
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
	/** Remembers what the workflow sent; undefined if it doesn't. */
	ledger?: Ledger;
}

/**
 * Reads an input item and checks it against every rule of the service, before anything is sent.
 *
 * @returns the job; a problem makes it invalid instead of throwing
 */
export function readItem(parameters: ParameterReader, settings: RunSettings, item: number): Job {
	const { source } = settings;
	const hasMemory = settings.ledger !== undefined;
	const called = calledAt(settings.items[item]?.json);
	// Grows step by step: what is known about an item stays, even if a later step fails.
	let job: Job = { item, calledHoursAgo: hoursSince(called) };
	try {
		const read = source.read(parameters, item);
		const { order, isSentAnyway = false } = read;
		const ageHours = hoursSince(timeOf(order?.createdAt));
		job = { ...job, order, referenceId: order?.referenceId, ageHours };

		const options = readItemOptions(parameters, item);
		const basis = hasMemory &&
			options.ok && {
				companyId: options.value.companyId,
				asOf: { call: called, order: timeOf(order?.updatedAt) },
				isLate: !isSentAnyway && (ageHours ?? 0) > settings.options.firstSeenWithinHours,
			};
		// Also of an order that would not be sent now: it may have been sent before.
		if (basis) job = withClaim(job, basis);
		if ('problem' in read) return invalid(job, read.problem, read.cause);
		// Without its company, it is not known whether it was sent.
		if ('skip' in read)
			return skipped({ ...job, mayHaveDelivery: hasMemory && !options.ok }, read.skip);

		const { referenceId: entered, recipient } = readableSchema.parse(read.delivery);
		job = { ...job, referenceId: job.referenceId ?? entered, recipient };
		if (!options.ok) return invalid(job, withReference(job, options.problem));
		const checked = checkDelivery(job, read.delivery, source);
		if (!checked.ok) return invalid(job, checked.problem);
		const delivery = checked.value;
		job = { ...job, referenceId: delivery.referenceId };
		if (hasMemory && job.referenceId === undefined)
			return invalid(job, settingsProblems.noReference);
		const { companyId, type } = options.value;
		// The type of the order's shipping method is more specific than the option.
		job = { ...job, delivery, companyId, type: order?.type ?? type };
		return basis ? withClaim(job, basis) : job;
	} catch (error) {
		return invalid(job, withReference(job, toProblem(error)));
	}
}

function invalid(job: Job, problem: Problem, cause?: Invalid['cause']): Job {
	return { ...job, outcome: { kind: 'invalid', problem, cause } };
}

function skipped(job: Job, skip: Skip): Job {
	return { ...job, outcome: { kind: 'skipped', why: { code: 'order', skip } } };
}

/** The problem with the reference ID of its job before it, if that is known. */
function withReference({ referenceId }: Job, { message, description }: Problem): Problem {
	return {
		message: referenceId === undefined ? message : `${referenceId}: ${message}`,
		description,
	};
}

/** The delivery of a job, or which rules of the service it breaks. */
function checkDelivery(job: Job, delivery: unknown, source: Source): Result<Delivery> {
	const { schema = deliverySchema } = source;
	const checked = validate(schema, delivery, 'Delivery', serviceLabels);
	if (checked.ok) return checked;
	const { problem } = checked;
	return failure(source.rephrase?.(problem, job.referenceId) ?? withReference(job, problem));
}

/**
 * The job with its claim: none without a reference ID.
 *
 * @param basis what of the claim the order and its reference ID don't say
 */
function withClaim(job: Job, basis: Pick<Claim, 'companyId' | 'asOf' | 'isLate'>): Job {
	const { order, referenceId } = job;
	if (referenceId === undefined) return job;
	const { shopifyOrder, part, sentAs } = order ?? {};
	return { ...job, claim: { referenceId, orderId: shopifyOrder?.id, part, sentAs, ...basis } };
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

/** What names a delivery, also an invalid one, as far as it is readable. */
const readableSchema = z
	.object({
		referenceId: readableText,
		dropoff: z
			.object({ contact: z.object({ name: readableText }) })
			.optional()
			.catch(undefined),
	})
	.transform(({ referenceId, dropoff }) => ({ referenceId, recipient: dropoff?.contact.name }))
	.catch({ referenceId: undefined, recipient: undefined });
