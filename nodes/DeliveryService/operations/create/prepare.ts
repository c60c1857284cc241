import type { INode } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { ParameterReader } from '../../common/parameters';
import type { Problem } from '../../common/result';
import { pluralize } from '../../common/text';
import type { Creation } from '../../sending/outcomes';
import { serviceLabels } from '../../service/labels';
import { deliverySchema, type Delivery } from '../../service/schemas';
import { validate } from '../../service/validation';
import { itemError, toProblem } from '../items';
import { readItemOptions, type ItemOptions } from './options';
import type { Source, SourceResult } from './source';

/** An input item after reading and validation. */
export type PreparedItem = { item: number } & Partial<ItemOptions> & SourceResult<Delivery>;

/**
 * Reads an input item and checks it against every rule of the service, before anything is sent.
 *
 * @param needsReference whether a delivery must have a reference ID
 * @returns the prepared item; a problem makes it invalid instead of throwing
 */
export function prepare(
	parameters: ParameterReader,
	source: Source,
	item: number,
	needsReference: boolean,
): PreparedItem {
	const invalid = (problem: Problem) => ({ kind: 'invalid', problem }) as const;
	try {
		const result = source.read(parameters, item);
		if (result.kind !== 'delivery') return { item, ...result };
		const { delivery: input, kind, ...facts } = result;
		const { referenceId: givenReference } = referenceSchema.parse(input);
		const options = readItemOptions(parameters, item);
		if (!options.ok)
			return { item, ...facts, referenceId: givenReference, ...invalid(options.problem) };
		const delivery = validate(source.schema ?? deliverySchema, input, 'Delivery', serviceLabels);
		if (!delivery.ok) {
			const problem = source.rephrase?.(delivery.problem, givenReference) ?? delivery.problem;
			return { item, ...facts, referenceId: givenReference, ...invalid(problem) };
		}
		const { referenceId } = delivery.value;
		if (needsReference && referenceId === undefined)
			return { item, ...facts, ...invalid(noReferenceProblem) };
		return { item, ...options.value, ...facts, referenceId, kind, delivery: delivery.value };
	} catch (error) {
		return { item, ...invalid(toProblem(error)) };
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

/** The valid deliveries of the items. */
export function toCreations(items: readonly PreparedItem[]): Creation[] {
	return items.flatMap((prepared) => {
		if (prepared.kind !== 'delivery') return [];
		const { item, delivery, companyId, type, shopifyOrder, orderReferenceId } = prepared;
		return [{ item, delivery, companyId, type, orderId: shopifyOrder?.id, orderReferenceId }];
	});
}

/**
 * @param hasSent whether an earlier attempt of the run has sent deliveries
 * @throws NodeOperationError for the first invalid item, so that nothing is sent
 */
export function assertValid(node: INode, items: readonly PreparedItem[], hasSent: boolean): void {
	const invalid = items.flatMap((prepared) => (prepared.kind === 'invalid' ? [prepared] : []));
	const [first, ...others] = invalid;
	if (!first) return;
	const { message, description = '' } = first.problem;
	const { referenceId = '' } = first;
	const namedMessage = message.includes(referenceId)
		? message
		: `${message} (reference ID ${referenceId})`;
	const alsoInvalid =
		others.length > 0 &&
		`${pluralize(others.length, 'other item is', 'other items are')} also invalid.`;
	throw itemError(
		node,
		{
			message: namedMessage,
			description: [description, alsoInvalid, !hasSent && 'No delivery was created.']
				.filter(Boolean)
				.join(' '),
		},
		first.item,
	);
}
