import type { INode } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { ParameterReader } from '../../common/parameters';
import type { Problem } from '../../common/result';
import { pluralize } from '../../common/text';
import type { Claim } from '../../ledger/claims';
import type { Job } from '../../sending/job';
import { serviceLabels, validate } from '../../service/validation';
import { deliverySchema } from '../../service/schemas';
import { itemError, toProblem } from '../items';
import { readItemOptions } from './options';
import type { Source } from './source';

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
		const { unlistedLocation, ...result } = source.read(parameters, item);
		job.order = result;
		job.referenceId = result.referenceId;
		if (result.kind === 'invalid') return invalid(result.problem);
		if (result.kind === 'skipped') {
			job.outcome = { kind: 'skipped', why: { code: 'order', skip: result, label: result.label } };
			return job;
		}
		const { delivery: input, part, shopifyOrder } = result;
		job.unlistedLocation = unlistedLocation;
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
		const type = result.type ?? options.value.type;
		const claim: Claim | undefined =
			isRemembered && referenceId !== undefined
				? { referenceId, companyId, orderId: shopifyOrder?.id, part }
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
	const names = new Set(jobs.flatMap(({ unlistedLocation }) => unlistedLocation ?? []));
	if (names.size <= 1) return;
	for (const { order, unlistedLocation: location } of jobs)
		if (order && location !== undefined)
			order.actions = [...(order.actions ?? []), { code: 'unlistedLocation', location }];
}
