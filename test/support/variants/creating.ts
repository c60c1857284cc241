import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { pickupFields } from '../actionNode';
import type { NodeRun } from '../engine/engine';
import { delivery } from '../sampleDelivery';
import { shippingAddress, shopifyOrder } from '../shopifyOrders';
import { itemSchema, shownBy, textOf, type Observation, type Surroundings } from './surroundings';

/** References of forms that a service may give back otherwise; the fourth cannot be delivered. */
export const references = ['#1001', '1002', 'A-1003', '#1004', '#1005'];
const unserved = '#1004';
const streetOf = (reference: string) =>
	reference === unserved ? '4 Unserved Road' : '48 Oak Avenue';

/** A way to create deliveries: from one source, with settings that users choose. */
export interface Way {
	name: string;
	parameters: INodeParameters;
	item: (reference: string, number: number) => IDataObject;
	/** Whether what was sent is skipped in later runs. */
	skips: boolean;
	/** Whether the node goes on after errors. */
	goesOn: boolean;
}

const create = { resource: 'delivery', operation: 'create' };

const fields: Omit<Way, 'name' | 'skips'> = {
	goesOn: false,
	parameters: {
		...create,
		source: 'fields',
		...pickupFields,
		dropoffName: 'Ana Torres',
		dropoffEmail: 'ana@mail.example',
		dropoffLocationType: 'address',
		dropoffAddress: '={{ $json.street }}',
		packages: { package: [{ name: 'Box', qty: 1, size: 's' }] },
		referenceId: '={{ $json.reference }}',
		options: { batchSize: 100 },
	},
	item: (reference) => ({ reference, street: streetOf(reference) }),
};

const json: Omit<Way, 'name' | 'skips'> = {
	goesOn: true,
	parameters: { ...create, source: 'json', options: { batchSize: 100 } },
	item: (referenceId) =>
		delivery({
			referenceId,
			dropoff: {
				contact: { name: 'Ana Torres', email: 'ana@mail.example' },
				location: { address: streetOf(referenceId) },
			},
		}),
};

const shopify: Omit<Way, 'name' | 'skips'> = {
	goesOn: true,
	parameters: { ...create, source: 'shopifyOrder', ...pickupFields },
	item: (name, number) =>
		shopifyOrder({
			id: 5600007927000 + number,
			name,
			shipping_address: shippingAddress({ address1: streetOf(name) }),
		}),
};

/** Every way; Batch Size and Requests at Once are set in some, and left to the node in others. */
export const ways: readonly Way[] = [
	{ name: 'Create from fields, stopping at errors', ...fields, skips: false },
	{ name: 'Create from fields, stopping at errors, skipping', ...fields, skips: true },
	{ name: 'Create from JSON', ...json, skips: false },
	{ name: 'Create from JSON, skipping', ...json, skips: true },
	{ name: 'Create from Shopify orders', ...shopify, skips: false },
	{
		name: 'Create from Shopify orders, skipping, 10 at once',
		...shopify,
		parameters: { ...shopify.parameters, options: { requestsAtOnce: 10 } },
		skips: true,
	},
];

/** What the node told of a delivery. */
interface Told {
	outcome: string;
	id?: string;
}

const entriesSchema = z.array(
	z.object({ item: z.number(), id: z.string().optional() }).passthrough(),
);

const listsSchema = z.object({
	created: entriesSchema,
	refused: entriesSchema,
	unknown: entriesSchema,
	notSent: entriesSchema,
});

/** Runs a way on all references. */
async function runWay(surroundings: Surroundings, { parameters, item, skips, goesOn }: Way) {
	const before = surroundings.control.requests().length;
	const run = await surroundings.service.run(
		{ ...parameters, skipAlreadySent: skips },
		{
			items: references.map(item),
			...(goesOn && { onError: 'continueRegularOutput' }),
		},
	);
	const told = toldBy(run);
	const shown = shownBy(run);
	// Who reads that all is well needs no words of the service.
	const isWell = [...told.values()].every(
		({ outcome }) => outcome === 'created' || outcome === 'alreadyCreated',
	);
	if (!isWell)
		for (const words of surroundings.refusals(before)) expect(shown.join('\n')).toContain(words);
	surroundings.assertHarmless(shown);
	return { told, shown };
}

/** What was told of each reference: in its item, or in the details of the error that ended the run. */
function toldBy({ error, items }: NodeRun): Map<string, Told> {
	const told = new Map<string, Told>();
	const tell = (number: number, entry: Told) => told.set(references[number] ?? '', entry);
	const details = z.object({ data: listsSchema }).safeParse(error?.context);
	if (details.success)
		for (const [outcome, entries] of Object.entries(details.data.data))
			for (const { item, id } of entries) tell(item, { outcome, id });
	else if (error !== undefined) throw new Error(`The run failed without details: ${textOf(error)}`);
	for (const { json: itemJson, pairedItem } of items) {
		const { id, reason, error: failure } = itemSchema.parse(itemJson);
		const { item } = z.object({ item: z.number() }).parse(pairedItem);
		if (failure !== undefined) tell(item, { outcome: failure.outcome ?? 'failed' });
		else if (reason !== undefined) tell(item, { outcome: reason });
		else tell(item, { outcome: id === undefined ? 'without ID' : 'created', id });
	}
	return told;
}

/** Variants under which a record's delivery can't be told for certain, for some or for all. */
const nobodyCanTell = /^(index-from-1-no-reference|index-and-reference-missing|records-too-many)$/;

/** Fails when what was told of the deliveries is not what the service has, or one is there twice. */
function assertTold(
	surroundings: Surroundings,
	told: ReadonlyMap<string, Told>,
	variant: string,
): void {
	// What the service gave an ID for is told as created, where anybody can tell.
	const answers = nobodyCanTell.test(variant)
		? ''
		: JSON.stringify(surroundings.control.requests().map(({ answer }) => answer));
	for (const reference of references) {
		const existing = surroundings.control
			.deliveries()
			.filter(({ record }) => record.referenceId === reference);
		const { outcome, id } = told.get(reference) ?? { outcome: 'not told' };
		const found = { reference, exists: existing.length, outcome };
		expect(existing.length).toBeLessThanOrEqual(1);
		const [one] = existing;
		if (one === undefined) {
			const isTrue = ['refused', 'unknown', 'notSent', 'sameReferenceInInput'].includes(outcome);
			expect({ ...found, isTrue }).toEqual({ ...found, isTrue: true });
			continue;
		}
		const isTrue = ['created', 'unknown', 'alreadyCreated'].includes(outcome);
		expect({ ...found, isTrue }).toEqual({ ...found, isTrue: true });
		// The variant "id-number" makes the number from the ID.
		const ids = [one.record.id, String(parseInt(one.record.id, 16))];
		if (outcome === 'created') expect(ids).toContain(id);
		const isGiven = ids.some(
			(given) => answers.includes(`"id":"${given}"`) || answers.includes(`"id":${given}`),
		);
		if (isGiven) expect(found).not.toMatchObject({ outcome: 'unknown' });
	}
}

function counted(told: ReadonlyMap<string, Told>): string {
	const counts = new Map<string, number>();
	for (const { outcome } of told.values()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
	return [...counts]
		.map(
			([outcome, count]) =>
				`${count} ${outcome.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
		)
		.join(', ');
}

/** Creates five deliveries, and when sent ones are skipped, runs the same input a second time. */
export async function observeCreating(
	surroundings: Surroundings,
	way: Way,
	variant: string,
): Promise<Observation> {
	surroundings.choose(variant);
	const first = await runWay(surroundings, way);
	assertTold(surroundings, first.told, variant);
	const exist = surroundings.control.deliveries().length;
	const happens = `${counted(first.told)}; ${exist} exist.`;
	if (!way.skips) return { happens, sees: first.shown };

	const second = await runWay(surroundings, { ...way, goesOn: true });
	assertTold(surroundings, second.told, variant);
	return {
		happens: `${happens} Second run: ${counted(second.told)}; ${surroundings.control.deliveries().length} exist.`,
		sees: first.shown,
	};
}

/** Forgets what a run has sent. */
export async function observeForgetting(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	surroundings.choose(variant);
	const [way] = ways.filter(({ name }) => name === 'Create from JSON, skipping');
	if (way === undefined) throw new Error('There is no such way.');
	await runWay(surroundings, way);
	const requests = surroundings.control.requests().length;

	const run = await surroundings.service.run({
		resource: 'delivery',
		operation: 'forget',
		referenceIds: references.join(', '),
	});

	expect(run.error).toBeUndefined();
	const forgotten = run.items.map(({ json: itemJson }) => itemJson.forgotten);
	expect(forgotten).toHaveLength(references.length);
	expect(surroundings.control.requests()).toHaveLength(requests);
	surroundings.assertHarmless(shownBy(run));
	const count = forgotten.filter(Boolean).length;
	return { happens: `${count} of ${references.length} forgotten.`, sees: shownBy(run) };
}
