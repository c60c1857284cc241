/**
 * Every variant of what the service's document leaves open, with every operation. What came of each
 * case is in docs/readings.md, which `npm run docs:variants` writes from this run.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { variants } from '../../playground/service/variants';
import * as changing from '../support/variants/changing';
import { observeCreating, observeForgetting, ways } from '../support/variants/creating';
import { renderVariants } from '../support/variants/report';
import * as triggering from '../support/variants/triggering';
import { setUpMatrix, type Observation } from '../support/variants/surroundings';

const documentFile = join(__dirname, '..', '..', 'docs', 'readings.md');

const surroundings = setUpMatrix();

type Observe = (variant: string) => Promise<Observation>;

const operations: Readonly<Record<string, Observe>> = {
	...Object.fromEntries(
		ways.map((way): [string, Observe] => [
			way.name,
			async (variant) => await observeCreating(surroundings, way, variant),
		]),
	),
	'Forget Sent References': async (variant) => await observeForgetting(surroundings, variant),
	'Update by delivery ID': async (variant) =>
		await changing.observeUpdating(surroundings, 'deliveryIds', variant),
	'Update by reference ID': async (variant) =>
		await changing.observeUpdating(surroundings, 'referenceIds', variant),
	'Webhook: Create': async (variant) => await changing.observeSubscribing(surroundings, variant),
	'Webhook: Get Many': async (variant) => await changing.observeListing(surroundings, variant),
	'Webhook: Repair': async (variant) => await changing.observeRepairing(surroundings, variant),
	'Webhook: Delete': async (variant) => await changing.observeUnsubscribing(surroundings, variant),
	'Trigger: turned on': async (variant) => await triggering.observeTurningOn(surroundings, variant),
	'Trigger: event received': async (variant) =>
		await triggering.observeReceiving(surroundings, variant),
	'Trigger: turned off': async (variant) =>
		await triggering.observeTurningOff(surroundings, variant),
	'Connection test': async (variant) => await triggering.observeTesting(surroundings, variant),
};

/** The empty name is that of no variant: as openapi.yaml says. */
const names = ['', ...Object.keys(variants)];
const observed = new Map(names.map((name) => [name, new Map<string, Observation>()]));

describe.each(Object.entries(operations))('%s', (operation, observe) => {
	test.each(names)('%s', async (variant) => {
		await surroundings.prepareFor(variant);
		observed.get(variant)?.set(operation, await observe(variant));
	});
});

test('docs/readings.md is what the run has shown (else run `npm run docs:variants`)', () => {
	const document = renderVariants(observed, Object.keys(operations));
	if (process.env.DOCS_VARIANTS === '1') writeFileSync(documentFile, document);
	expect(readFileSync(documentFile, 'utf8')).toBe(document);
});
