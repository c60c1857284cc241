import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import { serviceLabels } from '../../../service/labels';
import { retryRejectedBatchesLabel } from '../../../sending/responses';
import { limits } from '../../../service/limits';
import { companyIdSchema, deliveryTypeSchema } from '../../../service/schemas';
import { validate } from '../../../service/validation';
import type { Result } from '../../../common/result';
import { omitBlank, collectionParameter, type ParameterReader } from '../../../common/parameters';
import { showFor } from '../../resource';
import { numberBetween, retryFields, retryLabels, retryShape } from '../retryOptions';
import { companyIdField } from '../../../common/fields';
import type { Source } from './source';

/** What the option starts with when it is added. */
const defaultBatchSize = limits.deliveriesPerRequest;

const retryDefaults = {
	timeoutSeconds: 120,
	descriptions: {
		maximumWait:
			'How long to try a request again while the service is too busy to take it. Waiting for the limit of 100 requests a minute does not count.',
		timeout:
			'How long to wait for an answer. When none comes, it is unknown whether the deliveries were created.',
	},
};

const { maximumWait, timeout } = retryFields(retryDefaults);

const itemOptionsSchema = z.object({
	companyId: companyIdSchema.optional(),
	type: deliveryTypeSchema.optional(),
	simplify: z.boolean().default(true),
});

const itemOptionLabels = { ...serviceLabels, simplify: 'simplify' };

const runOptionsSchema = z.object({
	batchSize: numberBetween(1, limits.deliveriesPerRequest).int().optional(),
	dryRun: z.boolean().default(false),
	retryRejectedBatches: z.boolean().default(false),
	...retryShape(retryDefaults),
});

const runOptionLabels = {
	batchSize: 'batch size',
	dryRun: 'dry run',
	...retryLabels,
	retryRejectedBatches: retryRejectedBatchesLabel.toLowerCase(),
};

export type ItemOptions = z.infer<typeof itemOptionsSchema>;
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** The options that may differ from item to item. */
export function readItemOptions(parameters: ParameterReader, item: number): Result<ItemOptions> {
	return validate(
		itemOptionsSchema,
		omitBlank(collectionParameter(parameters, 'options', item)),
		'Option',
		itemOptionLabels,
	);
}

/**
 * The options of the whole run, from the first item. Each is read separately, so that an option of
 * that item, such as the company, fails for that item only.
 */
export function readRunOptions(parameters: ParameterReader): Result<RunOptions> {
	const given = Object.keys(runOptionsSchema.shape).map((name): [string, unknown] => [
		name,
		parameters.get(`options.${name}`, 0, ''),
	]);
	return validate(
		runOptionsSchema,
		omitBlank(Object.fromEntries(given)),
		'Option',
		runOptionLabels,
	);
}

/** The label of the field, by which messages name it too. */
const skipLabel = 'Skip Already Sent';

/** Whether deliveries that were sent before are skipped. */
export function readSkipAlreadySent(parameters: ParameterReader): Result<boolean> {
	return validate(z.boolean(), parameters.get('skipAlreadySent', 0, false), skipLabel, {});
}

/** What the field does for a source, below it: the sources have it with different defaults. */
const skipHint = (isOn: boolean) =>
	isOn
		? 'On by default for Shopify orders: an order that comes again is skipped'
		: 'Off by default here: what comes again is delivered again. When on, each delivery needs a reference ID.';

/** Each source has this field with a default of its own. */
const skipField: INodeProperties = {
	displayName: skipLabel,
	name: 'skipAlreadySent',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		'Whether to leave out what this workflow has created before, by reference ID and company, so that nothing is delivered twice. n8n remembers the last 50,000 or so.',
};

/** The fields that are the same for every source. */
export const optionFields = (sources: readonly Source[]): INodeProperties[] => [
	...sources.flatMap(({ option, skipsAlreadySent }) =>
		showFor({ source: [option.value] }, [
			{ ...skipField, default: skipsAlreadySent, hint: skipHint(skipsAlreadySent) },
		]),
	),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Batch Size',
				name: 'batchSize',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: limits.deliveriesPerRequest },
				default: defaultBatchSize,
				description:
					'How many deliveries share a request at most (1 to 100). Without this option up to 20 deliveries are sent each alone, so that one which is refused touches no other, and more of them in full requests.',
			},
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
				description: 'The kind of service. Without this option the service takes Slot.',
			},
			{
				displayName: 'Dry Run',
				name: 'dryRun',
				type: 'boolean',
				noDataExpression: true,
				// Who adds it wants it: off until it is switched on, too, the try would cost a delivery.
				default: true,
				description:
					'Whether to send nothing and return what would be sent and what would be skipped',
			},
			maximumWait,
			{
				displayName: retryRejectedBatchesLabel,
				name: 'retryRejectedBatches',
				type: 'boolean',
				default: false,
				description:
					'Whether you know that the service creates nothing at all when it refuses a request. Then the node finds the deliveries that were refused, and creates the others. Otherwise all that shared a refused request are unknown.',
			},
			{
				displayName: 'Simplify',
				name: 'simplify',
				type: 'boolean',
				default: true,
				description:
					'Whether to return a simplified version of the response instead of the raw data',
			},
			timeout,
		],
	},
];
