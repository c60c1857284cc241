import type { INode, INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { ParameterReader } from '../../common/parameters';
import type { Problem } from '../../common/result';
import { pluralize } from '../../common/text';
import type { Claim } from '../../ledger/claims';
import type { Job } from '../../sending/job';
import { serviceLabels, validate } from '../../service/validation';
import { deliverySchema, type Delivery } from '../../service/schemas';
import type { OrderInfo } from '../../shopify/toDelivery';
import { itemError, toProblem } from '../items';
import { readItemOptions } from './options';

/** What deliveries are created from: its fields, and how it reads an item. */
export interface Source {
	fields: INodeProperties[];
	/** The rules for what it reads; by default those of the fields in the editor. */
	schema?: z.ZodType<Delivery>;
	/** Reads an item, without checking the rules of the service: a delivery, or why there is none. */
	read(parameters: ParameterReader, item: number): OrderInfo;
	/** Rephrases a violated rule of the service in terms of what the user entered. */
	rephrase?(problem: Problem, referenceId: string | undefined): Problem;
	/** Whether one failed item says nothing about the others, as with the orders of a shop. */
	isIndependent?: boolean;
}

/**
 * Reads an input item and checks it against every rule of the service, before anything is sent.
 *
 * @param isRemembered whether sent deliveries are remembered, by their reference IDs
 * @returns the job; a problem makes it invalid instead of throwing
 */
export function readItem(
	parameters: ParameterReader,
	source: Source,
	item: number,
	isRemembered: boolean,
): Job {
	const job: Job = { item };
	const invalid = (problem: Problem): Job => {
		job.outcome = { kind: 'invalid', problem };
		return job;
	};
	try {
		const { delivery: input, skip, problem, ...order } = source.read(parameters, item);
		job.order = order;
		job.referenceId = order.referenceId;
		if (problem) return invalid(problem);
		if (skip) {
			job.outcome = { kind: 'skipped', why: { code: 'order', skip } };
			return job;
		}
		job.referenceId ??= referenceSchema.parse(input).referenceId;
		const options = readItemOptions(parameters, item);
		if (!options.ok) return invalid(options.problem);
		const delivery = validate(source.schema ?? deliverySchema, input, 'Delivery', serviceLabels);
		if (!delivery.ok)
			return invalid(source.rephrase?.(delivery.problem, job.referenceId) ?? delivery.problem);
		const { referenceId } = delivery.value;
		job.referenceId = referenceId;
		if (isRemembered && referenceId === undefined) return invalid(noReferenceProblem);
		const { companyId, simplify } = options.value;
		// The type of the order's shipping method is more specific than the option.
		const type = order.type ?? options.value.type;
		const claim: Claim | undefined =
			isRemembered && referenceId !== undefined
				? { referenceId, companyId, orderId: order.shopifyOrder?.id, part: order.part }
				: undefined;
		return Object.assign(job, { companyId, type, simplify, delivery: delivery.value, claim });
	} catch (error) {
		return invalid(toProblem(error));
	}
}

/** The reference ID of an invalid delivery, if it is readable. */
const referenceSchema = z
	.object({
		referenceId: z
			.union([z.string().min(1), z.number().transform(String)])
			.optional()
			.catch(undefined),
	})
	.catch({});

const noReferenceProblem: Problem = {
	message: 'Reference ID is missing',
	description:
		'Enter one: "Skip Already Sent" recognizes sent deliveries by it. Nothing was sent for this item.',
};

/** @throws NodeOperationError for the first invalid item, so that nothing is sent */
export function assertValid(node: INode, jobs: readonly Job[]): void {
	const [first, ...others] = jobs.filter(({ outcome }) => outcome?.kind === 'invalid');
	if (first?.outcome?.kind !== 'invalid') return;
	const { message, description = '' } = first.outcome.problem;
	const { referenceId = '' } = first;
	const namedMessage = message.includes(referenceId)
		? message
		: `${message} (reference ID ${referenceId})`;
	const alsoInvalid =
		others.length > 0 &&
		`${pluralize(others.length, 'other item is', 'other items are')} also invalid.`;
	const sentences = [description, alsoInvalid, 'No delivery was created.'];
	const problem = { message: namedMessage, description: sentences.filter(Boolean).join(' ') };
	throw itemError(node, problem, first.item);
}

/**
 * Adds what a person should know about orders of several locations in one input: without Pickup by
 * Location, all have the same pickup. A shop with one location needs no table.
 */
export function checkLocations(jobs: readonly Job[]): void {
	const orders = jobs.flatMap(({ order }) => order ?? []);
	const names = new Set(orders.flatMap(({ unlistedLocation }) => unlistedLocation ?? []));
	if (names.size <= 1) return;
	for (const order of orders)
		if (order.unlistedLocation !== undefined)
			order.actions = [
				...(order.actions ?? []),
				{ code: 'unlistedLocation', location: order.unlistedLocation },
			];
}
