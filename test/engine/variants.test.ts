/**
 * Runs every operation under every API variant. `npm run docs:variants` updates the snapshot of all
 * cases and docs/api-variants.md, the page with their outcomes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../playground/n8n/folders';
import { variants } from '../../playground/service/variants';
import { variantCases } from '../support/variants/cases';
import { documented, setUpVariants } from '../support/variants/fixture';
import type { Observation } from '../support/variants/observation';
import { renderPage } from '../support/variants/page';
import { snapshotOf, type Observations } from '../support/variants/snapshot';

const pageFile = join(projectFolder, 'docs', 'api-variants.md');

const fixture = setUpVariants();

const names = [documented, ...Object.keys(variants)];
const observed = new Map(names.map((name) => [name, new Map<string, Observation>()]));

/** The observations of a variant. Throws if one is missing, since the snapshot needs all of them. */
function observationsOf(variant: string): Observations {
	const observations = observed.get(variant) ?? new Map<string, Observation>();
	const missing = variantCases.flatMap(({ name }) => (observations.has(name) ? [] : [name]));
	if (missing.length === 0) return observations;
	throw new Error(
		`No result under ${variant} for: ${missing.join(', ')}. Fix the cases that fail, and run the whole file.`,
	);
}

for (const variant of names) {
	test.each(variantCases)(`$name $claim under ${variant}`, async ({ name, observe }) => {
		await fixture.addForeignWebhooks(variant);
		observed.get(variant)?.set(name, await observe(fixture, variant));
	});

	test(`reports the same outcomes and messages as before under ${variant}`, () => {
		const baseline = variant === documented ? new Map() : observationsOf(documented);
		expect(snapshotOf(observationsOf(variant), baseline)).toMatchSnapshot();
	});
}

test('matches docs/api-variants.md (otherwise run `npm run docs:variants`)', () => {
	const page = renderPage(new Map(names.map((name) => [name, observationsOf(name)])));
	if (process.env.DOCS_VARIANTS === '1') writeFileSync(pageFile, page);
	expect(readFileSync(pageFile, 'utf8')).toBe(page);
});
