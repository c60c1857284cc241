/**
 * Every reading of what the service's document leaves open, with every operation. What came of each
 * case is in docs/readings.md, which `npm run docs:readings` writes from this run.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readings } from '../../playground/service/readings';
import * as changing from '../support/matrix/changing';
import { observeCreating, observeForgetting, ways } from '../support/matrix/creating';
import { renderReadings } from '../support/matrix/report';
import * as triggering from '../support/matrix/triggering';
import { setUpMatrix, type Observation } from '../support/matrix/surroundings';

const documentFile = join(__dirname, '..', '..', 'docs', 'readings.md');

const surroundings = setUpMatrix();

type Observe = (reading: string) => Promise<Observation>;

const operations: Readonly<Record<string, Observe>> = {
	...Object.fromEntries(
		ways.map((way): [string, Observe] => [
			way.name,
			async (reading) => await observeCreating(surroundings, way, reading),
		]),
	),
	'Forget Sent References': async (reading) => await observeForgetting(surroundings, reading),
	'Update by delivery ID': async (reading) =>
		await changing.observeUpdating(surroundings, 'deliveryIds', reading),
	'Update by reference ID': async (reading) =>
		await changing.observeUpdating(surroundings, 'referenceIds', reading),
	'Webhook: Create': async (reading) => await changing.observeSubscribing(surroundings, reading),
	'Webhook: Get Many': async (reading) => await changing.observeListing(surroundings, reading),
	'Webhook: Repair': async (reading) => await changing.observeRepairing(surroundings, reading),
	'Webhook: Delete': async (reading) => await changing.observeUnsubscribing(surroundings, reading),
	'Trigger: turned on': async (reading) => await triggering.observeTurningOn(surroundings, reading),
	'Trigger: event received': async (reading) =>
		await triggering.observeReceiving(surroundings, reading),
	'Trigger: turned off': async (reading) =>
		await triggering.observeTurningOff(surroundings, reading),
	'Connection test': async (reading) => await triggering.observeTesting(surroundings, reading),
};

/** The empty name is that of no reading: as openapi.yaml says. */
const names = ['', ...Object.keys(readings)];
const observed = new Map(names.map((name) => [name, new Map<string, Observation>()]));

describe.each(Object.entries(operations))('%s', (operation, observe) => {
	test.each(names)('%s', async (reading) => {
		await surroundings.prepareFor(reading);
		observed.get(reading)?.set(operation, await observe(reading));
	});
});

test('docs/readings.md is what the run has shown (else run `npm run docs:readings`)', () => {
	const document = renderReadings(observed, Object.keys(operations));
	if (process.env.DOCS_READINGS === '1') writeFileSync(documentFile, document);
	expect(readFileSync(documentFile, 'utf8')).toBe(document);
});
