import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

import { serviceLabels } from '../../../service/labels';
import { refusedCreateNothingLabel } from '../../../sending/answers';
import { usuallyAtOnce } from '../../../sending/batches';
import { limits } from '../../../service/limits';
import { companyIdSchema, deliveryTypeSchema } from '../../../service/schemas';
import { check } from '../../../service/validation';
import type { Problem, Result } from '../../../common/result';
import type { ParameterReader } from '../../../common/parameterReader';
import { filledIn, readCollection } from '../../../common/parameters';
import { isBlank } from '../../../common/text';
import { ended, problemFromError } from '../../items';
import { shownOnlyFor } from '../../resource';
import { numberFrom, waitingFields, waitingLabels, waitingShape } from '../waiting';
import { companyIdField } from '../../../common/fields';
import type { Source } from './source';

/** What the option starts with when it is added. */
const fullBatchSize = limits.deliveriesPerRequest;

/** With more the limit is reached in any case, while more is unknown when a process is killed. */
const maxAtOnce = 10;

const waiting = {
	timeoutSeconds: 120,
	descriptions: {
		maximumWait:
			'How long to try a request again while the service is too busy to take it. Waiting for the limit of 100 requests a minute does not count.',
		timeout:
			'How long to wait for an answer. When none comes, it is unknown whether the deliveries were created.',
	},
};

const { maximumWait, timeout } = waitingFields(waiting);

const itemOptionsSchema = z.object({
	companyId: companyIdSchema.optional(),
	type: deliveryTypeSchema.optional(),
	simplify: z.boolean().default(true),
});

const itemOptionLabels = { ...serviceLabels, simplify: 'simplify' };

const runOptionsSchema = z.object({
	batchSize: numberFrom(1, limits.deliveriesPerRequest).int().optional(),
	dryRun: z.boolean().default(false),
	refusedCreateNothing: z.boolean().default(false),
	requestsAtOnce: numberFrom(1, maxAtOnce).int().optional(),
	...waitingShape(waiting),
});

const runOptionLabels = {
	batchSize: 'batch size',
	dryRun: 'dry run',
	...waitingLabels,
	refusedCreateNothing: refusedCreateNothingLabel.toLowerCase(),
	requestsAtOnce: 'requests at once',
};

export type ItemOptions = z.infer<typeof itemOptionsSchema>;
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** The options that may differ from item to item. */
export function readItemOptions(parameters: ParameterReader, item: number): Result<ItemOptions> {
	return check(
		itemOptionsSchema,
		filledIn(readCollection(parameters, 'options', item)),
		'Option',
		itemOptionLabels,
	);
}

/**
 * The options that hold for the whole run: those of the first item. Each is read by itself: one that
 * may differ from item to item and fails for the first concerns that item only.
 */
export function readRunOptions(parameters: ParameterReader): Result<RunOptions> {
	const given = Object.keys(runOptionsSchema.shape).map((name): [string, unknown] => [
		name,
		parameters.get(`options.${name}`, 0, ''),
	]);
	return check(runOptionsSchema, filledIn(Object.fromEntries(given)), 'Option', runOptionLabels);
}

/** The label of the field, by which messages name it too. */
const skipLabel = 'Skip Already Sent';

/** Whether references that were sent before are skipped; the first item decides for the run. */
export function skipsAlreadySent(parameters: ParameterReader): Result<boolean> {
	const value = parameters.get('skipAlreadySent', 0, false);
	return check(z.boolean(), value, skipLabel, {});
}

const dryRunLabel = 'Dry Run';

/**
 * What decides whether anything is sent, and whether once more: for the whole run, not for an item. Off
 * where the node does not have it.
 */
const ofWholeRun = [
	{ name: 'skipAlreadySent', label: skipLabel },
	{ name: 'options.dryRun', label: dryRunLabel },
];

type Field = (typeof ofWholeRun)[number];

/**
 * Tells what keeps an item from sharing a run with the first one. These fields take expressions; the
 * first item's value for all would send what another item's value keeps from being sent.
 */
export function mismatchWithFirst(
	parameters: ParameterReader,
): (item: number) => Problem | undefined {
	const read = (name: string, item: number) => parameters.get(name, item, false);
	const mismatchOf = ({ name, label }: Field, item: number, first: unknown) => {
		try {
			const value = read(name, item);
			if (isBlank(value))
				return {
					message: `${label} is empty in item ${item}`,
					description: 'Its expression finds nothing there.',
				};
			if (value === first) return undefined;
			return {
				message: `${label} must be the same for all items, and in item ${item} it is not what it is in item 0`,
				description:
					'It holds for the whole run. Separate the items with an If node, each way to a node of its own.',
			};
		} catch (error) {
			return {
				message: `${label} cannot be read in item ${item}`,
				description: ended(problemFromError(error).message),
			};
		}
	};
	const fields = ofWholeRun.map((field) => ({ ...field, first: read(field.name, 0) }));
	return (item) => {
		for (const { first, ...field } of fields) {
			const problem = mismatchOf(field, item, first);
			if (problem) return { ...problem, description: `${problem.description} Nothing was sent.` };
		}
		return undefined;
	};
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
	default: false,
	description:
		'Whether to leave out what this workflow has created before, by reference ID and company, so that nothing is delivered twice. n8n remembers the last 50,000 or so.',
};

/** The fields that are the same for every source. */
export const optionFields = (sources: readonly Source[]): INodeProperties[] => [
	...sources.flatMap(({ option, skipsAlreadySent }) =>
		shownOnlyFor({ source: [option.value] }, [
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
				default: fullBatchSize,
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
				displayName: dryRunLabel,
				name: 'dryRun',
				type: 'boolean',
				// Who adds it wants it: off until it is switched on, too, the try would cost a delivery.
				default: true,
				description:
					'Whether to send nothing and return what would be sent and what would be skipped',
			},
			maximumWait,
			{
				displayName: refusedCreateNothingLabel,
				name: 'refusedCreateNothing',
				type: 'boolean',
				default: false,
				description:
					'Whether you know that the service creates nothing at all when it refuses a request. Then the node finds the deliveries that were refused, and creates the others. Otherwise all that shared a refused request are unknown.',
			},
			{
				displayName: 'Requests at Once',
				name: 'requestsAtOnce',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: maxAtOnce },
				default: usuallyAtOnce,
				description: `How many requests may wait for their answer at the same time (1 to ${maxAtOnce}). More are faster when the service answers slowly, but when n8n is killed, it is unknown of the deliveries in all of them whether they were created. Without this option there are up to ${usuallyAtOnce}, but no more than hold a tenth of the deliveries.`,
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
