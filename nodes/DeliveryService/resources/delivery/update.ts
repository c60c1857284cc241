import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { sendUpdates, type Update, type UpdateResult } from '../../sending/updates';
import { isSuccess, openClient } from '../../service/client';
import { explain, notTheService } from '../../service/errors';
import type { Problem, Result } from '../../service/result';
import * as requests from '../../service/requests';
import {
	deliveryChangesSchema,
	targetSchemas,
	updateAnswerSchema,
	type DeliveryChanges,
} from '../../service/schemas';
import { check } from '../../service/validation';
import { readEach } from '../eachItem';
import { ended, errorItem, itemError, outputItem, problemOf } from '../items';
import { isBlank, listOf, readCollection } from '../../shared/parameters';
import { shownOnlyFor, type Operation } from '../resource';
import { referenceIdsField } from './fields';
import { packageGroup, readPackages } from './package';

const changeFields: INodeProperties[] = [
	{
		displayName: 'Address',
		name: 'address',
		type: 'string',
		default: '',
		placeholder: 'e.g. 48 Oak Avenue, Springfield, IL 62704',
		description: 'The new dropoff address, as one line of text',
	},
	{
		displayName: 'Cash on Delivery',
		name: 'cod',
		type: 'string',
		default: '',
		placeholder: 'e.g. 49.90',
		description: 'The amount that the driver collects from the recipient; 0 for none',
	},
	{
		displayName: 'Contact Email',
		name: 'email',
		type: 'string',
		default: '',
		placeholder: 'e.g. ana@example.com',
		description: "The recipient's new e-mail address",
	},
	{
		displayName: 'Contact Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Ana Torres',
		description: "The recipient's new name",
	},
	{
		displayName: 'Contact Phone',
		name: 'phonenumber',
		type: 'string',
		default: '',
		placeholder: 'e.g. +1 555 0100',
		description: "The recipient's new phone number",
	},
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'string',
		default: '',
		placeholder: 'e.g. Leave with the concierge',
		description: 'What the driver should know about the dropoff',
	},
	{
		displayName: 'Latitude',
		name: 'lat',
		type: 'string',
		default: '',
		placeholder: 'e.g. 39.7817',
		description: 'Add Longitude too: coordinates are changed together',
	},
	{
		displayName: 'Longitude',
		name: 'lng',
		type: 'string',
		default: '',
		placeholder: 'e.g. -89.6501',
		description: 'Add Latitude too: coordinates are changed together',
	},
	packageGroup('The new packages'),
	{
		displayName: 'Reference ID',
		name: 'referenceId',
		type: 'string',
		default: '',
		placeholder: 'e.g. #1001-B',
		description: 'The new reference ID (at most 40 characters)',
	},
	{
		displayName: 'Tags to Add',
		name: 'addTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. 12, 15',
		description:
			'Numbers of the tags to add, separated by commas. You find them in the dashboard of the Delivery Service.',
	},
	{
		displayName: 'Tags to Remove',
		name: 'removeTags',
		type: 'string',
		default: '',
		placeholder: 'e.g. 12, 15',
		description:
			'Numbers of the tags to remove, separated by commas. You find them in the dashboard of the Delivery Service.',
	},
];

const flagSchema = z.preprocess(
	(value) => (value === 'true' ? true : value === 'false' ? false : value),
	z.boolean(),
);

const flagsSchema = z.object({
	recalculatePrice: flagSchema,
	reorderRoute: flagSchema,
	recalculateCity: flagSchema,
});

/** Changes deliveries that exist (service document, section 4.2). */
export const update: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update deliveries',
		description: 'Change recipient, address, packages, tags or payment of deliveries that exist',
	},
	fields: [
		{
			displayName: 'Find Deliveries By',
			name: 'target',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'Delivery ID',
					value: 'deliveryIds',
					description: 'The ID that the Delivery Service gave the delivery',
				},
				{
					name: 'Reference ID',
					value: 'referenceIds',
					description: 'Your own number of the delivery, such as the order number',
				},
			],
			default: 'deliveryIds',
			description: 'How the deliveries to update are named',
		},
		...shownOnlyFor({ target: ['deliveryIds'] }, [
			{
				displayName: 'Delivery IDs',
				name: 'deliveryIds',
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. 64f1c2, 64f1c3',
				description: 'One or more IDs, separated by commas, or a list from an expression',
			},
		]),
		...shownOnlyFor({ target: ['referenceIds'] }, [referenceIdsField]),
		{
			displayName: 'Changes',
			name: 'changes',
			type: 'collection',
			placeholder: 'Add Change',
			default: {},
			description: 'What to change. Everything else stays as it is.',
			options: changeFields,
		},
		{
			displayName: 'Recalculate Price (Recommended)',
			name: 'recalculatePrice',
			type: 'boolean',
			default: true,
			description: 'Whether the price is calculated anew after the change',
		},
		{
			displayName: 'Reorder Route (Recommended)',
			name: 'reorderRoute',
			type: 'boolean',
			default: true,
			description:
				'Whether the stops of the route are ordered anew after the change, when the delivery is on a route',
		},
		{
			displayName: 'Recalculate City (Recommended)',
			name: 'recalculateCity',
			type: 'boolean',
			default: true,
			description: 'Whether the city is determined anew after the change',
		},
	],
	async run(context) {
		const goOn = context.continueOnFail();
		const invalid = new Map<number, Problem>();
		const updates: Update[] = [];
		const readings = await readEach(context, (item) => readUpdate(context, item));
		for (const [item, reading] of readings.entries()) {
			if (reading.ok) updates.push(reading.value);
			else if (goOn) invalid.set(item, reading.problem);
			else throw itemError(context.getNode(), reading.problem, item);
		}
		const outputs = new Map<number, INodeExecutionData[]>();
		for (const [item, problem] of invalid)
			outputs.set(item, [errorItem(problem, item, { outcome: 'invalid' })]);
		if (updates.length > 0) await sendAll(context, updates, outputs);
		return [...context.getInputData().keys()].flatMap((item) => outputs.get(item) ?? []);
	},
};

async function sendAll(
	context: IExecuteFunctions,
	updates: readonly Update[],
	outputs: Map<number, INodeExecutionData[]>,
): Promise<void> {
	const client = await openClient(context);
	let updated = 0;
	for await (const result of sendUpdates(
		updates,
		async (body) => await client.send(requests.update(body)),
	)) {
		const { item } = result;
		const name = nameOf(result);
		const answer = readAnswer(result);
		if (!answer.ok && !context.continueOnFail()) {
			const { message, description } = answer.problem;
			const before = `Deliveries updated before: ${updated}.`;
			throw itemError(
				context.getNode(),
				{ message, description: [ended(description), before].filter(Boolean).join(' ') },
				item,
			);
		}
		const output = answer.ok
			? outputItem({ ...name, ...answer.value }, item)
			: errorItem(answer.problem, item, name);
		if (answer.ok) updated++;
		outputs.set(item, [...(outputs.get(item) ?? []), output]);
	}
}

function nameOf({ targetKind, id }: UpdateResult): object {
	return targetKind === 'deliveryIds' ? { deliveryId: id } : { referenceId: id };
}

function readAnswer({ exchange }: UpdateResult): Result<object> {
	if (exchange.kind === 'noAnswer' || !isSuccess(exchange))
		return { ok: false, problem: explain(exchange) };
	const answer = updateAnswerSchema.safeParse(exchange.body);
	if (!answer.success) return { ok: false, problem: notTheService };
	const { code, message, data } = answer.data;
	return { ok: true, value: { jobId: data?.jobs, code, message } };
}

/** Reads what an item asks for and checks it against the rules of the service. */
function readUpdate(context: IExecuteFunctions, item: number): Result<Update> {
	try {
		const targetKind = z
			.enum(['deliveryIds', 'referenceIds'])
			.parse(context.getNodeParameter('target', item));
		const given = { [targetKind]: listOf(context.getNodeParameter(targetKind, item, '')) };
		const target = check(z.object({ [targetKind]: targetSchemas[targetKind] }), given, 'Update');
		if (!target.ok) return target;
		const changes = readChanges(readCollection(context, 'changes', item));
		if (!changes.ok) return changes;
		const flags = check(
			flagsSchema,
			{
				recalculatePrice: context.getNodeParameter('recalculatePrice', item, true),
				reorderRoute: context.getNodeParameter('reorderRoute', item, true),
				recalculateCity: context.getNodeParameter('recalculateCity', item, true),
			},
			'Update',
		);
		if (!flags.ok) return flags;
		const ids = target.value[targetKind] ?? [];
		return {
			ok: true,
			value: { item, targetKind, ids, changes: changes.value, flags: flags.value },
		};
	} catch (error) {
		return { ok: false, problem: problemOf(error) };
	}
}

/** The changes that the user added, as the service's document has them. */
function readChanges(added: Record<string, unknown>): Result<DeliveryChanges> {
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
	return check(
		deliveryChangesSchema,
		{
			...group('location', { address, instructions, lat, lng }),
			...group('contact', { name, email, phonenumber }),
			...(packages !== undefined && { packages: readPackages(packages) }),
			...(addTags !== undefined && { addTags: listOf(addTags) }),
			...(removeTags !== undefined && { removeTags: listOf(removeTags) }),
			cod,
			referenceId,
		},
		'Changes',
	);
}

/** The members under one name, or nothing when the user added none of them. */
function group(name: string, members: Record<string, unknown>): object {
	return Object.values(members).some((value) => value !== undefined) ? { [name]: members } : {};
}
