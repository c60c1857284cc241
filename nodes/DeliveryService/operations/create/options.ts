/** The options of both operations that create deliveries: fields, rules, and how they are read. */
import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import {
	childCompanyField,
	childCompanyLabel,
	deliveryTypeOptions,
	optionsField,
} from '../../common/fields';
import {
	collectionParameter,
	omitBlank,
	oncePerRun,
	type ParameterReader,
} from '../../common/parameters';
import type { Result } from '../../common/result';
import { readCompanyOption } from '../../service/credential';
import { limits, companyIdSchema, deliveryTypeSchema } from '../../service/schemas';
import { serviceLabels, validate } from '../../service/validation';
import { numeric } from '../../service/values';

// n8n's lint rules don't recognize a property of an object as a default.
const defaultBatchSize = limits.deliveriesPerRequest;

/** With a workflow that runs twice a day, one lost night is no loss. */
const defaultFirstSeenWithinHours = 24;

const itemOptionsSchema = z.object({
	companyId: companyIdSchema.optional(),
	type: deliveryTypeSchema.optional(),
});

const itemOptionLabels = { ...serviceLabels, companyId: 'child company ID' };

const runOptionsSchema = z.object({
	batchSize: numeric(z.int().min(1).max(limits.deliveriesPerRequest)).optional(),
	dryRun: z.boolean().default(false),
	firstSeenWithinHours: numeric(z.number().min(1)).default(defaultFirstSeenWithinHours),
	simplify: z.boolean().default(true),
	whenChanged: z.enum(['tell', 'update']).default('tell'),
});

const runOptionLabels = {
	batchSize: 'batch size',
	dryRun: 'dry run',
	firstSeenWithinHours: 'send unseen orders placed within (hours)',
	simplify: 'simplify',
	whenChanged: 'when a sent order changes',
};

type ItemOptions = z.infer<typeof itemOptionsSchema>;
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** The options that can differ between items. */
export function readItemOptions(parameters: ParameterReader, item: number): Result<ItemOptions> {
	return toItemOptions(parameters, collectionParameter(parameters, 'options', item));
}

const toItemOptions = oncePerRun((added: Record<string, unknown>): Result<ItemOptions> => {
	const company = readCompanyOption(added, childCompanyLabel);
	if (!company.ok) return company;
	return validate(itemOptionsSchema, omitBlank(added), 'Option', itemOptionLabels);
});

/**
 * The options of the whole run, from the first item. Each is read separately, so that an invalid
 * option of that item, e.g. its company, fails for that item only.
 */
export function readRunOptions(parameters: ParameterReader): Result<RunOptions> {
	const names = Object.keys(runOptionsSchema.shape);
	const values = names.map((name): [string, unknown] => [
		name,
		parameters.get(`options.${name}`, 0, ''),
	]);
	return validate(
		runOptionsSchema,
		omitBlank(Object.fromEntries(values)),
		'Option',
		runOptionLabels,
	);
}

/** The name of the field in the editor and in messages. */
const skipLabel = 'Skip Already Sent';

/** Whether the run skips deliveries that were already sent. */
export function readSkipAlreadySent(parameters: ParameterReader): Result<boolean> {
	return validate(z.boolean(), parameters.get('skipAlreadySent', 0, false), skipLabel, {});
}

const skipField: INodeProperties = {
	displayName: skipLabel,
	name: 'skipAlreadySent',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		'Whether to skip deliveries that this workflow has already sent, matched by reference ID. The workflow remembers about 20,000 whole orders, or 10,000 fulfillment orders of up to three units. Other workflows are not checked.',
};

const batchSizeOption = {
	displayName: 'Batch Size',
	name: 'batchSize',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1, maxValue: limits.deliveriesPerRequest },
	default: defaultBatchSize,
	description:
		"Maximum number of deliveries per request (1 to 100). By default, up to 500 deliveries are sent one per request, so that a rejected delivery doesn't affect the others. Larger runs use full batches.",
} satisfies INodeProperties;

const firstSeenOption = {
	displayName: 'Send Unseen Orders Placed Within (Hours)',
	name: 'firstSeenWithinHours',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: defaultFirstSeenWithinHours,
	description:
		'With Skip Already Sent: an order that was placed earlier, and that this workflow sees for the first time, is not sent, since another workflow or a person may have sent it. It is reported once.',
} satisfies INodeProperties;

const whenChangedOption = {
	displayName: 'When a Sent Order Changes',
	name: 'whenChanged',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Tell Me',
			value: 'tell',
			description: 'The column actionNeeded says once what to correct',
		},
		{
			name: 'Update the Delivery',
			value: 'update',
			description: 'Only if the workflow gets each order as it is now',
		},
	],
	default: 'tell',
	description:
		"What to do when an order comes in again with another recipient, address, items, date or amount to collect. The column actionNeeded names what an update can't do: stop a delivery, change its date, or collect another amount for a part of an order.",
} satisfies INodeProperties;

/**
 * Skip Already Sent and the options of an operation. Orders are remembered by default, and their
 * requests need no setting.
 */
export const optionFields = (isFromOrders: boolean): INodeProperties[] => [
	{
		...skipField,
		default: isFromOrders,
		hint: isFromOrders
			? 'An order that arrives twice is delivered once'
			: 'Off by default: an item that arrives twice is delivered twice. When on, every delivery needs a reference ID.',
	},
	{
		...optionsField,
		options: [
			...(isFromOrders ? [] : [batchSizeOption]),
			childCompanyField(
				'The child company to create deliveries for. Your company must be authorized for it. Remove this option to use your own company: an empty value is an error.',
			),
			{
				displayName: 'Delivery Type',
				name: 'type',
				type: 'options',
				options: deliveryTypeOptions,
				default: 'slot',
				description: 'The service level. The Delivery Service defaults to Slot.',
			},
			{
				displayName: 'Dry Run',
				name: 'dryRun',
				type: 'boolean',
				noDataExpression: true,
				// Whoever adds this option wants it on. If it started off, a trial run would create deliveries.
				default: true,
				description:
					'Whether to only preview what would be sent. In a published workflow, each new order fails with "Dry Run is on", and nothing is sent. Turn off Simplify to see the requests.',
			},
			...(isFromOrders ? [firstSeenOption] : []),
			{
				displayName: 'Simplify',
				name: 'simplify',
				type: 'boolean',
				noDataExpression: true,
				default: true,
				description:
					'Whether to return a simplified version of the response instead of the raw data',
			},
			...(isFromOrders ? [whenChangedOption] : []),
		],
	},
];
