import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { pickupFields } from '../actionNode';
import type { NodeRun } from '../engine/engine';
import { delivery } from '../sampleDelivery';
import { shippingAddress, shopifyOrder } from '../shopifyOrders';
import type { VariantFixture } from './fixture';
import { outcomeOfRun, worstOf, type Observation, type Reported } from './observation';
import { errorText, failureSchema, itemSchema, messagesOf } from './output';

/** The reference IDs of the deliveries, in forms that a service may change in its response. */
export const references = ['#1001', '1002', 'A-1003', '#1004', '#1005'];

/** The delivery that the local service rejects as invalid (playground/service/variants/create.ts). */
const invalidReference = '#1004';

const streetOf = (reference: string) =>
	reference === invalidReference ? '4 Unserved Road' : '48 Oak Avenue';

/** A source of deliveries, with settings of the node. */
export interface CreateCase {
	readonly name: string;
	/** Whether up to 100 deliveries share a request. Otherwise each has its own, which is the default. */
	readonly isBatched: boolean;
	readonly parameters: INodeParameters;
	readonly item: (reference: string, number: number) => IDataObject;
	readonly skipAlreadySent: boolean;
	readonly continueOnError: boolean;
}

type Source = Omit<CreateCase, 'name' | 'skipAlreadySent'>;

const create = { resource: 'delivery', operation: 'create' };

const fields: Source = {
	isBatched: true,
	continueOnError: false,
	parameters: {
		...create,
		source: 'defineBelow',
		...pickupFields,
		dropoffName: 'Ana Torres',
		dropoffEmail: 'ana@mail.example',
		dropoffLocationType: 'address',
		dropoffAddress: '={{ $json.street }}',
		packages: { package: [{ name: 'Box', qty: 1, size: 's' }] },
		referenceId: '={{ $json.reference }}',
		advanced: { batchSize: 100 },
	},
	item: (reference) => ({ reference, street: streetOf(reference) }),
};

const json: Source = {
	isBatched: true,
	continueOnError: true,
	parameters: { ...create, source: 'json', advanced: { batchSize: 100 } },
	item: (referenceId) =>
		delivery({
			referenceId,
			dropoff: {
				contact: { name: 'Ana Torres', email: 'ana@mail.example' },
				location: { address: streetOf(referenceId) },
			},
		}),
};

const shopify: Source = {
	isBatched: false,
	continueOnError: true,
	parameters: { ...create, operation: 'createFromOrders', ...pickupFields },
	item: (name, number) =>
		shopifyOrder({
			id: 5600007927000 + number,
			name,
			shipping_address: shippingAddress({ address1: streetOf(name) }),
		}),
};

const jsonOnce: CreateCase = {
	name: 'Create from JSON with Skip Already Sent',
	...json,
	skipAlreadySent: true,
};

export const createCases: readonly CreateCase[] = [
	{ name: 'Create from fields with On Error: Stop', ...fields, skipAlreadySent: false },
	{
		name: 'Create from fields with On Error: Stop and Skip Already Sent',
		...fields,
		skipAlreadySent: true,
	},
	{ name: 'Create from JSON', ...json, skipAlreadySent: false },
	jsonOnce,
	{ name: 'Create from Shopify orders', ...shopify, skipAlreadySent: false },
	{
		name: 'Create from Shopify orders with Skip Already Sent',
		...shopify,
		skipAlreadySent: true,
	},
];

/** What the node reports of a delivery. */
interface DeliveryReport {
	readonly reported: Reported;
	readonly id?: string;
}

type Reports = ReadonlyMap<string, DeliveryReport>;

const entriesSchema = z.array(
	z.object({ item: z.number(), id: z.string().optional() }).passthrough(),
);

const errorDetailsSchema = z.object({
	data: z.object({
		created: entriesSchema,
		rejected: entriesSchema,
		unknown: entriesSchema,
		notSent: entriesSchema,
	}),
});

/** Runs a case with one item per reference. */
async function run(fixture: VariantFixture, createCase: CreateCase) {
	const { parameters, item, skipAlreadySent, continueOnError } = createCase;
	const before = fixture.control.requests().length;
	const nodeRun = await fixture.service.run(
		{ ...parameters, skipAlreadySent },
		{
			items: references.map(item),
			...(continueOnError && { onError: 'continueRegularOutput' }),
		},
	);
	const reports = reportsOf(nodeRun);
	const messages = messagesOf(nodeRun);
	const isComplete = [...reports.values()].every(
		({ reported }) => reported === 'created' || reported === 'alreadyCreated',
	);
	// After a complete success, the user need not see messages of earlier attempts.
	if (!isComplete)
		for (const message of fixture.failureMessages(before))
			expect(messages.join('\n')).toContain(message);
	fixture.expectNoHarm(messages);
	return { reports, messages };
}

/** The report of each reference, from its item or from the details of the run's error. */
function reportsOf({ error, items }: NodeRun): Reports {
	const reports = new Map<string, DeliveryReport>();
	const add = (item: number, report: DeliveryReport) => reports.set(references[item] ?? '', report);
	const details = errorDetailsSchema.safeParse(error?.context);
	if (details.success)
		for (const reported of ['created', 'rejected', 'unknown', 'notSent'] as const)
			for (const { item, id } of details.data.data[reported]) add(item, { reported, id });
	else if (error !== undefined)
		throw new Error(`The run failed without details: ${errorText(error)}`);
	for (const { json: itemJson, pairedItem } of items) {
		const { id, reason, outcome } = itemSchema.parse(itemJson);
		const { item } = z.object({ item: z.number() }).parse(pairedItem);
		const reported = reason ?? (outcome === 'created' ? outcome : failureSchema.parse(outcome));
		if (reported === 'created' && !id) throw new Error(`Item ${item} has no ID.`);
		add(item, { reported, id: id ?? undefined });
	}
	return reports;
}

/** Variants under which some or all records cannot be matched to their deliveries. */
const hasAmbiguousRecords =
	/^(index-from-1-no-reference|index-and-reference-missing|records-too-many)$/;

/** Fails if a report contradicts the state of the service, or if a delivery exists twice. */
function expectCorrectReports(fixture: VariantFixture, reports: Reports, variant: string): void {
	// A delivery whose ID was returned must be reported as created, unless its record is ambiguous.
	const responses = hasAmbiguousRecords.test(variant)
		? ''
		: JSON.stringify(fixture.control.requests().map(({ responseBody }) => responseBody));
	for (const reference of references) {
		const existing = fixture.control
			.deliveries()
			.filter(({ record }) => record.referenceId === reference);
		const { reported, id } = reports.get(reference) ?? { reported: 'nothing' };
		const found = { reference, exists: existing.length, reported };
		expect(existing.length).toBeLessThanOrEqual(1);
		const [one] = existing;
		const possible =
			one === undefined
				? ['rejected', 'unknown', 'notSent']
				: ['created', 'unknown', 'alreadyCreated'];
		const isCorrect = possible.includes(reported);
		expect({ ...found, isCorrect }).toEqual({ ...found, isCorrect: true });
		if (one === undefined) continue;
		// The variant "id-number" derives the number from the ID.
		const ids = [one.record.id, String(parseInt(one.record.id, 16))];
		if (reported === 'created') expect(ids).toContain(id);
		const isReturned = ids.some(
			(returned) =>
				responses.includes(`"id":"${returned}"`) || responses.includes(`"id":${returned}`),
		);
		if (isReturned) expect(found).not.toMatchObject({ reported: 'unknown' });
	}
}

const reportLabels = {
	created: 'created',
	alreadyCreated: 'already created',
	updated: 'updated',
	notSent: 'not sent',
	rejected: 'rejected',
	unknown: 'unknown',
} as const satisfies Record<Reported, string>;

function summaryOf(fixture: VariantFixture, reports: Reports): string {
	const counts = new Map<Reported, number>();
	for (const { reported } of reports.values())
		counts.set(reported, (counts.get(reported) ?? 0) + 1);
	const counted = [...counts].map(([reported, count]) => `${count} ${reportLabels[reported]}`);
	return `Reported: ${counted.join(', ')}. At the service: ${fixture.control.deliveries().length}.`;
}

const outcomeOfReports = (reports: Reports) =>
	outcomeOfRun([...reports.values()].map(({ reported }) => reported));

/** Creates five deliveries; with Skip Already Sent, runs the same input a second time. */
export async function observeCreate(
	fixture: VariantFixture,
	createCase: CreateCase,
	variant: string,
): Promise<Observation> {
	fixture.simulate(variant);
	const { reports, messages } = await run(fixture, createCase);
	expectCorrectReports(fixture, reports, variant);
	const outcome = outcomeOfReports(reports);
	const summary = summaryOf(fixture, reports);
	if (!createCase.skipAlreadySent) return { outcome, summary, messages };

	const second = await run(fixture, { ...createCase, continueOnError: true });
	expectCorrectReports(fixture, second.reports, variant);
	return {
		outcome: worstOf([outcome, outcomeOfReports(second.reports)]),
		summary: `${summary} Second run: ${summaryOf(fixture, second.reports)}`,
		messages,
	};
}

/** Creates five deliveries, then allows all of them to be sent again. */
export async function observeAllowResending(
	fixture: VariantFixture,
	variant: string,
): Promise<Observation> {
	fixture.simulate(variant);
	const { reports } = await run(fixture, jsonOnce);
	const requests = fixture.control.requests().length;

	const nodeRun = await fixture.service.run({
		resource: 'delivery',
		operation: 'allowResending',
		referenceIds: references.join(', '),
	});

	const messages = messagesOf(nodeRun);
	expect(nodeRun.error).toBeUndefined();
	const cleared = nodeRun.items.map(({ json: itemJson }) => itemJson.allowed);
	const wasStored = references.map((reference) =>
		['created', 'unknown'].includes(reports.get(reference)?.reported ?? ''),
	);
	expect(cleared).toEqual(wasStored);
	expect(fixture.control.requests()).toHaveLength(requests);
	fixture.expectNoHarm(messages);
	const count = cleared.filter(Boolean).length;
	return {
		outcome: 'ok',
		summary: `${count} of ${references.length} references may be sent again.`,
		messages,
	};
}
