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
import type { Skip } from '../../shopify/skipping';
import type { OrderInfo } from '../../shopify/toDelivery';
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
export function readItem(
	parameters: ParameterReader,
	{ items, source, options: runOptions, isRemembered }: RunSettings,
	item: number,
): Job {
	const called = calledAt(items[item]?.json);
	const job: Job = { item, calledHoursAgo: hoursSince(called) };
	const invalid = (problem: Problem, cause?: Invalid['cause']): Job => {
		job.outcome = { kind: 'invalid', problem, cause };
		return job;
	};
	const named = ({ message, description }: Problem): Problem => ({
		message: job.referenceId === undefined ? message : `${job.referenceId}: ${message}`,
		description,
	});
	try {
		const read = source.read(parameters, item);
		const { order } = read;
		job.order = order;
		job.referenceId = order?.referenceId;
		job.ageHours = hoursSince(timeOf(order?.createdAt));
		const { ageHours = 0 } = job;
		const isLate = ageHours > runOptions.firstSeenWithinHours && read.isSentAnyway !== true;
		const options = readItemOptions(parameters, item);
		const claimOf = (referenceId: string | undefined): Claim | undefined =>
			isRemembered && referenceId !== undefined && options.ok
				? {
						referenceId,
						companyId: options.value.companyId,
						orderId: order?.shopifyOrder?.id,
						part: order?.part,
						sentAs: order?.sentAs,
						asOf: { call: called, order: timeOf(order?.updatedAt) },
						isLate,
					}
				: undefined;
		// Also of an order that would not be sent now: it may have been sent before.
		job.claim = claimOf(job.referenceId);
		if ('problem' in read) return invalid(read.problem, read.cause);
		if ('skip' in read) {
			job.outcome = { kind: 'skipped', why: { code: 'order', skip: read.skip } };
			return job;
		}
		const { delivery: input } = read;
		job.referenceId ??= referenceSchema.parse(input).referenceId;
		if (!options.ok) return invalid(named(options.problem));
		const delivery = validate(source.schema ?? deliverySchema, input, 'Delivery', serviceLabels);
		if (!delivery.ok)
			return invalid(
				source.rephrase?.(delivery.problem, job.referenceId) ?? named(delivery.problem),
			);
		const { referenceId } = delivery.value;
		job.referenceId = referenceId;
		if (isRemembered && referenceId === undefined) return invalid(settingsProblems.noReference);
		const { companyId } = options.value;
		// The type of the order's shipping method is more specific than the option.
		const type = order?.type ?? options.value.type;
		const claim = claimOf(referenceId);
		return Object.assign(job, { companyId, type, delivery: delivery.value, claim });
	} catch (error) {
		return invalid(named(toProblem(error)));
	}
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
