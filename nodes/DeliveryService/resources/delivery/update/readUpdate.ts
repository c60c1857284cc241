import { z } from 'zod/v4';

import type { Update } from '../../../sending/updates';
import { serviceLabels } from '../../../service/labels';
import type { Problem, Result } from '../../../common/result';
import {
	deliveryChangesSchema,
	targetSchemas,
	type DeliveryChanges,
} from '../../../service/schemas';
import { validate } from '../../../service/validation';
import {
	toList,
	collectionParameter,
	readJson,
	type ParameterReader,
} from '../../../common/parameters';
import { isBlank } from '../../../common/text';
import { orderToChanges } from '../../../shopify/toChanges';
import { toProblem } from '../../items';
import { readPackages } from '../package';
import { readOrderMapping } from '../shopifyOrder';
import { changeFields } from './fields';

const flagSchema = z.preprocess(
	(value) => (value === 'true' ? true : value === 'false' ? false : value),
	z.boolean().default(true),
);

const flagsSchema = z.object({
	recalculatePrice: flagSchema,
	reorderRoute: flagSchema,
	recalculateCity: flagSchema,
});

/** Reads what an item asks for and checks it against the rules of the service. */
export function readUpdate(parameters: ParameterReader, item: number): Result<Update> {
	try {
		const targetKind = z
			.enum(['deliveryIds', 'referenceIds'])
			.parse(parameters.get('findBy', item));
		const given = { [targetKind]: toList(parameters.get(targetKind, item, '')) };
		const target = validate(
			z.object({ [targetKind]: targetSchemas[targetKind] }),
			given,
			'Update',
			serviceLabels,
		);
		if (!target.ok) return target;
		const changes =
			parameters.get('changesFrom', item, 'shopifyOrder') === 'shopifyOrder'
				? changesFromOrder(parameters, item)
				: changesFromFields(collectionParameter(parameters, 'changes', item));
		if (!changes.ok) return changes;
		const flags = validate(
			flagsSchema,
			collectionParameter(parameters, 'options', item),
			'Update',
			serviceLabels,
		);
		if (!flags.ok) return flags;
		const ids = target.value[targetKind] ?? [];
		if (changes.value.referenceId !== undefined && new Set(ids).size > 1)
			return { ok: false, problem: sharedReferenceProblem };
		return {
			ok: true,
			value: { item, targetKind, ids, changes: changes.value, flags: flags.value },
		};
	} catch (error) {
		return { ok: false, problem: toProblem(error) };
	}
}

const sharedReferenceProblem: Problem = {
	message: 'One new Reference ID cannot be given to several deliveries',
	description:
		'A reference ID must name one delivery. Give each its own: with an input item for each delivery, and an expression in Reference ID.',
};

/** The readings, with a problem in the place of each that gives a new reference ID a second time. */
export function rejectSharedReferences(readings: ReadonlyArray<Result<Update>>): Result<Update>[] {
	const owners = new Map<string, string>();
	return readings.map((reading) => {
		if (!reading.ok) return reading;
		const { ids, changes } = reading.value;
		const [id] = ids;
		if (changes.referenceId === undefined || id === undefined) return reading;
		const owner = owners.get(changes.referenceId) ?? id;
		owners.set(changes.referenceId, owner);
		return owner === id ? reading : { ok: false, problem: sharedReferenceProblem };
	});
}

/** The changes that make the delivery what its order is now. */
function changesFromOrder(parameters: ParameterReader, item: number): Result<DeliveryChanges> {
	const order = readJson(parameters.get('order', item), 'Order');
	if (!order.ok) return order;
	const mapping = readOrderMapping(parameters, item);
	if (!mapping.ok) return mapping;
	const changes = orderToChanges(order.value, mapping.value);
	return changes.ok
		? validate(deliveryChangesSchema, changes.value, 'Changes', serviceLabels)
		: changes;
}

/** The changes that the user added, as the service's document has them. */
function changesFromFields(added: Record<string, unknown>): Result<DeliveryChanges> {
	if (Object.keys(added).length === 0)
		return {
			ok: false,
			problem: {
				message: 'There is nothing to change',
				description: 'Add at least one field under Changes.',
			},
		};
	for (const { displayName, name } of changeFields)
		if (name in added && isBlank(added[name]))
			return {
				ok: false,
				problem: {
					message: `${displayName} is empty`,
					description: 'Fill it in, or remove it from Changes to leave it as it is.',
				},
			};
	const {
		address,
		instructions,
		lat,
		lng,
		name,
		email,
		phonenumber,
		packages,
		addTags,
		removeTags,
	} = added;
	const { cod, referenceId } = added;
	return validate(
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
}

/** The members under one name, or nothing when the user added none of them. */
function groupFields(name: string, members: Record<string, unknown>): object {
	return Object.values(members).some((value) => value !== undefined) ? { [name]: members } : {};
}
