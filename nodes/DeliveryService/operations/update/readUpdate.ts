/** How an item becomes an update, from fields or from a Shopify order. */
import { z } from 'zod/v4';

import {
	toList,
	collectionParameter,
	omitBlank,
	readJson,
	type ParameterReader,
} from '../../common/parameters';
import { failure, type Result } from '../../common/result';
import { isBlank } from '../../common/text';
import { actionNeeded } from '../../messages/actions';
import { orderProblem } from '../../messages/problems';
import { notUpdatedProblem } from '../../messages/skips';
import { inputProblem } from '../../messages/updates';
import type { Update } from '../../sending/updates';
import {
	deliveryChangesSchema,
	targetKindSchema,
	targetSchemas,
	type DeliveryChanges,
	type TargetKind,
} from '../../service/schemas';
import { serviceLabels, validate } from '../../service/validation';
import { flag } from '../../service/values';
import { orderToChanges } from '../../shopify/toChanges';
import { readPackages } from '../fields/package';
import { readOrderMapping } from '../fields/shopifyOrder';
import { toProblem } from '../items';
import { changeFields } from './fields';

const flagsSchema = z.object({
	recalculatePrice: flag.default(true),
	reorderRoute: flag.default(true),
	recalculateCity: flag.default(true),
});

/** The flags of an update that has no options. */
export const defaultFlags = flagsSchema.parse({});

/** An update, and what of its order a person must check. */
export type ReadUpdate = Update & { needed?: string };

/**
 * Reads the update of an item and checks it against the rules of the service.
 *
 * @returns the update, or the problem with it; it never throws
 */
export function readUpdate(parameters: ParameterReader, item: number): Result<ReadUpdate> {
	try {
		const changes =
			parameters.get('changesFrom', item) === 'shopifyOrder'
				? changesFromOrder(parameters, item)
				: changesFromFields(parameters, item);
		if (!changes.ok) return changes;
		const options = omitBlank(collectionParameter(parameters, 'options', item));
		const flags = validate(flagsSchema, options, 'Update', serviceLabels);
		if (!flags.ok) return flags;
		return { ok: true, value: { item, ...changes.value, flags: flags.value } };
	} catch (error) {
		return failure(toProblem(error));
	}
}

/** The updates, with a problem in place of each that would assign a new reference ID again. */
export function rejectSharedReferences(
	updates: ReadonlyArray<Result<ReadUpdate>>,
): Result<ReadUpdate>[] {
	const owners = new Map<string, string>();
	return updates.map((update) => {
		if (!update.ok) return update;
		const { ids, changes } = update.value;
		if (changes.referenceId === undefined) return update;
		const owner = owners.get(changes.referenceId) ?? ids[0] ?? '';
		owners.set(changes.referenceId, owner);
		const isShared = ids.some((id) => id !== owner);
		return isShared ? failure(inputProblem({ code: 'sharedReference' })) : update;
	});
}

type ReadChanges = Omit<ReadUpdate, 'item' | 'flags'>;

/** Changes that match a delivery to its order, and whether nothing is left to pay. */
type OrderChanges = ReadChanges & { isSettled: boolean };

/** The deliveries with these IDs, each once. */
function readTargets(
	targetKind: TargetKind,
	ids: unknown,
): Result<Pick<Update, 'targetKind' | 'ids'>> {
	const schema = z.object({ [targetKind]: targetSchemas[targetKind] });
	const target = validate(schema, { [targetKind]: toList(ids) }, 'Update', serviceLabels);
	if (!target.ok) return target;
	return { ok: true, value: { targetKind, ids: [...new Set(target.value[targetKind])] } };
}

/** The changes that match the order's own delivery to its current state. */
export function changesFromOrder(parameters: ParameterReader, item: number): Result<OrderChanges> {
	const order = readJson(parameters.get('order', item), 'Order');
	if (!order.ok) return order;
	const mapping = readOrderMapping(parameters, item);
	if (!mapping.ok) return mapping;
	const result = orderToChanges(order.value, mapping.value);
	if (result.kind === 'invalid') return failure(orderProblem(result.label, result.problems));
	if (result.kind === 'skipped') return failure(notUpdatedProblem(result, result.label));
	const targets = readTargets('referenceIds', [result.referenceId]);
	if (!targets.ok) return targets;
	const changes = checkChanges(result.changes);
	if (!changes.ok) return changes;
	const needed = actionNeeded(result.actions, result.label);
	const { isSettled } = result;
	return { ok: true, value: { ...targets.value, changes: changes.value, needed, isSettled } };
}

/** The changes that the user added, in the service's format (docs/api.md, section 4.2). */
function changesFromFields(parameters: ParameterReader, item: number): Result<ReadChanges> {
	const targetKind = validate(
		targetKindSchema,
		parameters.get('findBy', item),
		'Find Deliveries By',
		{},
	);
	if (!targetKind.ok) return targetKind;
	const targets = readTargets(targetKind.value, parameters.get(targetKind.value, item, ''));
	if (!targets.ok) return targets;
	const added = collectionParameter(parameters, 'changes', item);
	if (Object.keys(added).length === 0) return failure(inputProblem({ code: 'noChange' }));
	for (const { displayName, name } of changeFields)
		if (name in added && isBlank(added[name]))
			return failure(inputProblem({ code: 'emptyChange', field: displayName }));
	const { address, instructions, lat, lng, name, email, phonenumber } = added;
	const { packages, addTags, removeTags, cod, referenceId } = added;
	const changes = checkChanges({
		...groupFields('location', { address, instructions, lat, lng }),
		...groupFields('contact', { name, email, phonenumber }),
		...(packages !== undefined && { packages: readPackages(packages) }),
		...(addTags !== undefined && { addTags: toList(addTags) }),
		...(removeTags !== undefined && { removeTags: toList(removeTags) }),
		cod,
		referenceId,
	});
	if (!changes.ok) return changes;
	return { ok: true, value: { ...targets.value, changes: changes.value } };
}

const changesSchema = z.object({ deliveryChanges: deliveryChangesSchema });

function checkChanges(changes: object): Result<DeliveryChanges> {
	const checked = validate(changesSchema, { deliveryChanges: changes }, 'Changes', serviceLabels);
	return checked.ok ? { ok: true, value: checked.value.deliveryChanges } : checked;
}

/** An object with these fields under one name; empty when the user added none of them. */
function groupFields(name: string, fields: Record<string, unknown>): object {
	return Object.values(fields).some((value) => value !== undefined) ? { [name]: fields } : {};
}
