import type { IExecuteFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { Creation, Skipped } from '../../../sending/outcomes';
import { serviceLabels } from '../../../service/labels';
import type { Problem } from '../../../common/result';
import { deliverySchema } from '../../../service/schemas';
import { check } from '../../../service/validation';
import type { ParameterReader } from '../../../common/parameterReader';
import { itemError, problemFromError } from '../../items';
import { readItemOptions } from './options';
import type { Names, Source } from './source';

/** An input item, read and checked: a delivery to create, or why there is none. */
export type Prepared =
	{ item: number; creation: Creation } | ({ item: number; outcome: Skipped | Invalid } & Names);

/** The item breaks a rule, so that nothing is sent for it. */
export interface Invalid {
	kind: 'invalid';
	problem: Problem;
}

/**
 * Reads an input item and checks it against every rule of the service, before anything is sent.
 *
 * @param needsReference whether a delivery without a reference ID is refused
 */
export function prepare(
	parameters: ParameterReader,
	source: Source,
	item: number,
	needsReference: boolean,
): Prepared {
	const invalid = (problem: Problem, names: Names = {}): Prepared => ({
		item,
		...names,
		outcome: { kind: 'invalid', problem },
	});
	try {
		const options = readItemOptions(parameters, item);
		if (!options.ok) return invalid(options.problem);
		const reading = source.read(parameters, item);
		if (reading.kind !== 'delivery') {
			const { referenceId, shopifyOrder, ...outcome } = reading;
			return { item, referenceId, shopifyOrder, outcome };
		}
		const { shopifyOrder, notCollectedFor, untold } = reading;
		const delivery = check(deliverySchema, reading.delivery, 'Delivery', serviceLabels);
		if (!delivery.ok) {
			const { problem } = delivery;
			const { referenceId } = referenceSchema.parse(reading.delivery);
			const told = source.inItsWords?.(problem, referenceId) ?? problem;
			return invalid(told, { referenceId, shopifyOrder });
		}
		if (needsReference && delivery.value.referenceId === undefined)
			return invalid(noReference, { shopifyOrder });
		const facts = { shopifyOrder, notCollectedFor, untold };
		return { item, creation: { item, delivery: delivery.value, ...facts, ...options.value } };
	} catch (error) {
		return invalid(problemFromError(error));
	}
}

/** What an invalid delivery is called, when it says so in a readable form. */
const referenceSchema = z
	.object({
		referenceId: z
			.union([z.string().min(1), z.number().transform(String)])
			.optional()
			.catch(undefined),
	})
	.catch({});

const noReference: Problem = {
	message: 'Reference ID is missing',
	description:
		'Deliveries that were sent already are recognised by it. Fill it in, or turn "Skip Already Sent" off. Nothing was sent for this item.',
};

/** @throws NodeOperationError for the first invalid item, so that nothing is sent at all */
export function assertValid(context: IExecuteFunctions, items: readonly Prepared[]): void {
	const invalid = items.flatMap((prepared) =>
		'outcome' in prepared && prepared.outcome.kind === 'invalid'
			? [{ ...prepared, problem: prepared.outcome.problem }]
			: [],
	);
	const [first, ...others] = invalid;
	if (!first) return;
	const { message, description = '' } = first.problem;
	const { referenceId = '' } = first;
	const named = message.includes(referenceId)
		? message
		: `${message} (reference ID ${referenceId})`;
	const alsoInvalid =
		others.length > 0 ? `${others.length} more of ${items.length} items are not valid either.` : '';
	throw itemError(
		context.getNode(),
		{
			message: named,
			description: [description, alsoInvalid, 'No delivery was created.'].filter(Boolean).join(' '),
		},
		first.item,
	);
}
