import { z } from 'zod/v4';

import type { Update } from '../../sending/updates';
import { serviceLabels, validate } from '../../service/validation';
import { flag } from '../../service/values';
import { failure, type Problem, type Result } from '../../common/result';
import { deliveryChangesSchema, targetSchemas } from '../../service/schemas';
import {
	toList,
	collectionParameter,
	omitBlank,
	readJson,
	type ParameterReader,
} from '../../common/parameters';
import { isBlank } from '../../common/text';
import type { Claim } from '../../ledger/claims';
import type { Ledger } from '../../ledger/ledger';
import { notUpdatedProblem } from '../../messages/orders';
import { orderProblem } from '../../messages/problems';
import {
	sentOtherwiseProblem,
	severalDeliveriesProblem,
	sharedDeliveryProblem,
} from '../../messages/updates';
import { orderToChanges, type UpdatedOrder } from '../../shopify/toChanges';
import { partReference } from '../../shopify/toDelivery';
import { toProblem } from '../items';
import { readPackages } from '../fields/package';
import { retryLabels, retryShape } from '../fields/retryOptions';
import { readOrderMapping } from '../fields/shopifyOrder';
import { changeFields, defaultTimeoutSeconds } from './fields';

const updateOptionsSchema = z.object(retryShape(defaultTimeoutSeconds));

/** The options of the whole run, from the first item. */
export function readUpdateOptions(
	parameters: ParameterReader,
): Result<z.infer<typeof updateOptionsSchema>> {
	const options = omitBlank(collectionParameter(parameters, 'advanced', 0));
	return validate(updateOptionsSchema, options, 'Option', retryLabels);
}

const flagsSchema = z.object({
	recalculatePrice: flag.default(true),
	reorderRoute: flag.default(true),
	recalculateCity: flag.default(true),
});

/**
 * Reads the update of an item and checks it against the rules of the service.
 *
 * @returns the update, or the problem with it; it never throws
 */
export function readUpdate(parameters: ParameterReader, item: number): Result<Update> {
	try {
		const targetKind = z
			.enum(['deliveryIds', 'referenceIds'])
			.parse(parameters.get('findBy', item));
		const input = { [targetKind]: toList(parameters.get(targetKind, item, '')) };
		const schema = z.object({ [targetKind]: targetSchemas[targetKind] });
		const target = validate(schema, input, 'Update', serviceLabels);
		if (!target.ok) return target;
		const ids = [...new Set(target.value[targetKind])];
		const references = targetKind === 'referenceIds' ? ids : [];
		const changes =
			parameters.get('changesFrom', item, 'shopifyOrder') === 'shopifyOrder'
				? changesFromOrder(parameters, item, references)
				: changesFromFields(collectionParameter(parameters, 'changes', item));
		if (!changes.ok) return changes;
		const options = omitBlank(collectionParameter(parameters, 'options', item));
		const flags = validate(flagsSchema, options, 'Update', serviceLabels);
		if (!flags.ok) return flags;
		return { ok: true, value: { item, targetKind, ids, ...changes.value, flags: flags.value } };
	} catch (error) {
		return failure(toProblem(error));
	}
}

const sharedReferenceProblem: Problem = {
	message: "A new reference ID can't be assigned to several deliveries",
	description:
		'A reference ID must identify one delivery. Use one input item per delivery, and an expression in New Reference ID.',
};

/**
 * The updates, with a problem in place of each from an order that updates several deliveries, which
 * would each collect its cash, or whose delivery another order updates as well: it would get the
 * recipient and the cash of the last one.
 */
export function rejectSharedDeliveries(updates: ReadonlyArray<Result<Update>>): Result<Update>[] {
	const keyOf = ({ label, id = label, partId }: UpdatedOrder) => JSON.stringify([id, partId]);
	const ordersOf = new Map<string, Set<string>>();
	const deliveriesOf = new Map<string, Set<string>>();
	const addTo = (map: Map<string, Set<string>>, key: string, value: string) =>
		map.set(key, (map.get(key) ?? new Set()).add(value));
	for (const update of updates) {
		const { ids, order } = update.ok ? update.value : { ids: [], order: undefined };
		if (!order) continue;
		for (const id of ids) {
			addTo(ordersOf, id, keyOf(order));
			addTo(deliveriesOf, keyOf(order), id);
		}
	}
	return updates.map((update) => {
		if (!update.ok || !update.value.order) return update;
		const { ids, order } = update.value;
		const deliveries = [...(deliveriesOf.get(keyOf(order)) ?? [])];
		if (deliveries.length > 1) return failure(severalDeliveriesProblem(order.label, deliveries));
		const shared = ids.find((id) => (ordersOf.get(id)?.size ?? 0) > 1);
		return shared === undefined ? update : failure(sharedDeliveryProblem(order.label, shared));
	});
}

/**
 * The updates, with a problem in place of each from a whole order that the workflow sent by fulfillment
 * order, or the other way round: it would get the packages and the cash of more or less than it is for.
 *
 * @throws when the ledger can't be read
 */
export async function rejectSentOtherwise(
	updates: ReadonlyArray<Result<Update>>,
	ledger: Ledger,
): Promise<Result<Update>[]> {
	const claimsOf = (update: Result<Update>): Claim[] => {
		const { id: orderId, references = [], partId } = (update.ok && update.value.order) || {};
		return references.map((reference) =>
			partId === undefined
				? { referenceId: reference, orderId }
				: {
						referenceId: partReference(reference, partId),
						orderId,
						part: { orderReferenceId: reference, lines: [] },
					},
		);
	};
	const keyOf = (claim: Claim) => JSON.stringify(claim);
	const claims = new Map(updates.flatMap(claimsOf).map((claim) => [keyOf(claim), claim]));
	const sentOtherwise = new Set<string>();
	for (const [claim, { state }] of await ledger.lookUp([...claims.values()]))
		if (state === 'inParts' || state === 'wholeCreated') sentOtherwise.add(keyOf(claim));
	return updates.map((update) =>
		update.ok && update.value.order && claimsOf(update).some((one) => sentOtherwise.has(keyOf(one)))
			? failure(sentOtherwiseProblem(update.value.order))
			: update,
	);
}

/** The updates, with a problem in place of each that would assign a new reference ID again. */
export function rejectSharedReferences(updates: ReadonlyArray<Result<Update>>): Result<Update>[] {
	const owners = new Map<string, string>();
	return updates.map((update) => {
		if (!update.ok) return update;
		const { ids, changes } = update.value;
		if (changes.referenceId === undefined) return update;
		const owner = owners.get(changes.referenceId) ?? ids[0] ?? '';
		owners.set(changes.referenceId, owner);
		const isShared = ids.some((id) => id !== owner);
		return isShared ? failure(sharedReferenceProblem) : update;
	});
}

type ReadChanges = Pick<Update, 'changes' | 'order'>;

/** The changes that match the deliveries with these reference IDs, if known, to their current order. */
function changesFromOrder(
	parameters: ParameterReader,
	item: number,
	referenceIds: readonly string[],
): Result<ReadChanges> {
	const order = readJson(parameters.get('order', item), 'Order');
	if (!order.ok) return order;
	const mapping = readOrderMapping(parameters, item);
	if (!mapping.ok) return mapping;
	const result = orderToChanges(order.value, mapping.value, referenceIds);
	if (result.kind === 'invalid') return failure(orderProblem(result, result.problems));
	if (result.kind === 'skipped') return failure(notUpdatedProblem(result, result.label));
	const changes = validate(deliveryChangesSchema, result.changes, 'Changes', serviceLabels);
	const { order: updated, actions } = result;
	if (!changes.ok) return changes;
	return { ok: true, value: { changes: changes.value, order: { ...updated, actions } } };
}

/** The changes that the user added, in the service's format (section 4.2). */
function changesFromFields(added: Record<string, unknown>): Result<ReadChanges> {
	if (Object.keys(added).length === 0)
		return failure({
			message: 'There is nothing to change',
			description: 'Add at least one field under Changes.',
		});
	for (const { displayName, name } of changeFields)
		if (name in added && isBlank(added[name]))
			return failure({
				message: `${displayName} is empty`,
				description: 'Enter a value, or remove the field from Changes to leave it unchanged.',
			});
	const { address, instructions, lat, lng, name, email, phonenumber } = added;
	const { packages, addTags, removeTags, cod, referenceId } = added;
	const changes = validate(
		deliveryChangesSchema,
		{
			...groupFields('location', { address, instructions, lat, lng }),
			...groupFields('contact', { name, email, phonenumber }),
			...(packages !== undefined && { packages: readPackages(packages) }),
			...(addTags !== undefined && { addTags: toList(addTags) }),
			...(removeTags !== undefined && { removeTags: toList(removeTags) }),
			cod,
			referenceId,
		},
		'Changes',
		serviceLabels,
	);
	return changes.ok ? { ok: true, value: { changes: changes.value } } : changes;
}

/** An object with these fields under one name; empty when the user added none of them. */
function groupFields(name: string, fields: Record<string, unknown>): object {
	return Object.values(fields).some((value) => value !== undefined) ? { [name]: fields } : {};
}
