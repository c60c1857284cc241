import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod';

import { sendCreations, unmatched, type Creation, type Outcome } from '../../../sending/creations';
import { openClient } from '../../../service/client';
import { limits } from '../../../service/limits';
import * as requests from '../../../service/requests';
import { companyIdSchema, deliverySchema, deliveryTypeSchema } from '../../../service/schemas';
import { check } from '../../../service/validation';
import { errorItem, itemError, outputItem, problemOf } from '../../items';
import { filledIn, readCollection } from '../../parameters';
import { shownOnlyFor, type Operation } from '../../resource';
import { companyIdField } from '../../webhook/fields';
import { fromFields } from './fromFields';
import { fromJson } from './fromJson';
import { fromShopifyOrder } from './fromShopifyOrder';
import { lossReport } from './lossReport';
import type { Reading, Source } from './source';

const sources: readonly Source[] = [fromFields, fromJson, fromShopifyOrder];

/** The members of a record that are shown unless the user turns Simplify off. */
const simplifiedMembers = [
	'id',
	'referenceId',
	'statusDelivery',
	'trackLink',
	'deliveryDate',
	'price',
	'currencyCode',
	'distance',
] as const;

const optionsSchema = z.object({
	companyId: companyIdSchema.optional(),
	type: deliveryTypeSchema.optional(),
	simplify: z.boolean().default(true),
});

const options: INodeProperties[] = [
	{
		...companyIdField,
		description:
			'The child company to create deliveries for. The parent company must be authorized for it. By default deliveries are for your own company.',
	},
	{
		displayName: 'Delivery Type',
		name: 'type',
		type: 'options',
		options: [
			{ name: 'Express', value: 'express' },
			{ name: 'Flex', value: 'flex' },
			{ name: 'Slot', value: 'slot' },
		],
		default: 'slot',
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
];

/** Creates a delivery for each input item, in few requests (service document, section 4.1). */
export const create: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create deliveries',
		description: 'Create a delivery for each input item, such as a Shopify order',
	},
	fields: [
		{
			displayName: 'Create From',
			name: 'source',
			type: 'options',
			noDataExpression: true,
			options: sources.map(({ option }) => option),
			default: 'fields',
			description: 'Where the data of the deliveries comes from',
		},
		...sources.flatMap(({ option, fields }) => shownOnlyFor({ source: [option.value] }, fields)),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options,
		},
	],
	async run(context) {
		const goOn = context.continueOnFail();
		const items = context.getInputData().map((_, item) => prepare(context, item));
		if (!goOn) refuseInvalid(context, items);

		const creations = items.flatMap(({ reading }) =>
			reading.kind === 'ready' ? [reading.creation] : [],
		);
		if (creations.length === 0) return items.map((prepared) => toOutput(prepared));

		const client = await openClient(context);
		const outcomes = await sendCreations(
			creations,
			async (body) => await client.send(requests.creation(body)),
			{ batchSize: limits.deliveriesPerRequest, goOn },
		);
		if (!goOn) refuseLosses(context, creations, outcomes);
		return items.map((prepared) => toOutput(prepared, outcomes.get(prepared.item)));
	},
};

interface Prepared {
	item: number;
	reading:
		| Exclude<Reading, { kind: 'delivery' }>
		| { kind: 'ready'; creation: Creation; simplify: boolean };
}

/** Reads an input item and checks it against every rule of the service before anything is sent. */
function prepare(context: IExecuteFunctions, item: number): Prepared {
	try {
		const options = check(
			optionsSchema,
			filledIn(readCollection(context, 'options', item)),
			'Option',
		);
		if (!options.ok) return { item, reading: { kind: 'invalid', problem: options.problem } };
		const { simplify, ...grouping } = options.value;

		const source = context.getNodeParameter('source', item);
		const reading = sources.find(({ option }) => option.value === source)?.read(context, item);
		if (!reading)
			throw new NodeOperationError(context.getNode(), 'Choose a source under Create From');
		if (reading.kind !== 'delivery') return { item, reading };

		const delivery = check(deliverySchema, reading.delivery, 'Delivery');
		if (!delivery.ok) return { item, reading: { kind: 'invalid', problem: delivery.problem } };
		return {
			item,
			reading: {
				kind: 'ready',
				creation: { item, delivery: delivery.value, ...grouping },
				simplify,
			},
		};
	} catch (error) {
		return { item, reading: { kind: 'invalid', problem: problemOf(error) } };
	}
}

/** @throws NodeOperationError for the first invalid item, so that nothing is sent at all */
function refuseInvalid(context: IExecuteFunctions, items: readonly Prepared[]): void {
	const invalid = items.flatMap(({ item, reading }) =>
		reading.kind === 'invalid' ? [{ item, problem: reading.problem }] : [],
	);
	const [first, ...others] = invalid;
	if (!first) return;
	const { message, description = '' } = first.problem;
	const alsoInvalid =
		others.length > 0 ? `${others.length} more of ${items.length} items are not valid either.` : '';
	const nothingSent = 'No delivery was created.';
	throw itemError(
		context.getNode(),
		{ message, description: [description, alsoInvalid, nothingSent].filter(Boolean).join(' ') },
		first.item,
	);
}

/** @throws NodeOperationError that tells what exists, when not every delivery was created */
function refuseLosses(
	context: IExecuteFunctions,
	creations: readonly Creation[],
	outcomes: ReadonlyMap<number, Outcome>,
): void {
	const report = lossReport(creations, outcomes);
	if (!report) return;
	const error = itemError(context.getNode(), report.problem, report.item);
	error.context.data = report.lists;
	throw error;
}

function toOutput({ item, reading }: Prepared, outcome?: Outcome): INodeExecutionData {
	if (reading.kind === 'invalid') return errorItem(reading.problem, item, { outcome: 'invalid' });
	if (reading.kind === 'skipped') {
		const { reason, message, referenceId } = reading;
		return outputItem(
			{ skipped: true, reason, message, ...(referenceId && { referenceId }) },
			item,
		);
	}
	if (outcome?.kind === 'created')
		return outputItem(reading.simplify ? simplified(outcome.record) : outcome.record, item);
	const { referenceId } = reading.creation.delivery;
	const { fate, problem } = outcome ?? unmatched;
	return errorItem(problem, item, { outcome: fate, ...(referenceId && { referenceId }) });
}

function simplified(record: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		simplifiedMembers
			.filter((name) => record[name] !== undefined)
			.map((name) => [name, record[name]]),
	);
}
