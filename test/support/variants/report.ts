import { variants } from '../../../playground/service/variants';
import { escaped } from '../../../tools/markdown';
import type { Observation } from './surroundings';
import { references } from './creating';

/** What was observed of each variant, by operation. */
export type Observations = ReadonlyMap<string, ReadonlyMap<string, Observation>>;

/**
 * The document of what was observed: for each variant the operations that go otherwise than without
 * one, those with the same course in one row.
 */
export function renderVariants(observed: Observations, operations: readonly string[]): string {
	const documented = observed.get('') ?? new Map<string, Observation>();
	const sections = Object.entries(variants).flatMap(([name, { description: says }]) => [
		`### ${name}`,
		'',
		says,
		'',
		...tableOf(observed.get(name) ?? new Map(), operations, documented),
		'',
	]);
	const cases = Object.keys(variants).length * operations.length;
	return [
		'# Variants of the document',
		'',
		'The document of the Delivery Service leaves much open: it says "not shown", contradicts itself, or is silent. The local service can act each way to read it, and a test runs every variant with every operation in n8n. This is what came out. Made by `npm run docs:variants` from that run: do not edit it here.',
		'',
		`${Object.keys(variants).length} variants, ${operations.length} operations, ${cases} cases. In each: no reference is created twice, also not by a second run where sent ones are skipped; what was created is told as created, with its ID, or as unknown; what is told as created exists; the words of the service reach the user; a trigger can be turned on and off, or the refusal says why; no subscription of another program is touched; no secret and nothing personal is in a log line or a message.`,
		'',
		'Each run creates five deliveries, of which the service of some variants cannot take one. "Exist" counts what the service has. "No difference" and rows that are left out: as without a variant.',
		'',
		'## Without a variant',
		'',
		'The service does as `playground/service/openapi.yaml` says.',
		'',
		...tableOf(documented, operations, new Map()),
		'',
		'## With a variant',
		'',
		...sections,
	].join('\n');
}

function tableOf(
	observations: ReadonlyMap<string, Observation>,
	operations: readonly string[],
	documented: ReadonlyMap<string, Observation>,
): string[] {
	const rows = new Map<string, string[]>();
	for (const operation of operations) {
		const course = courseOf(observations.get(operation));
		if (course === courseOf(documented.get(operation))) continue;
		rows.set(course, [...(rows.get(course) ?? []), operation]);
	}
	if (rows.size === 0) return ['No difference.'];
	return [
		'| Operation | What happens | What the user sees |',
		'| --- | --- | --- |',
		...[...rows].map(([course, names]) => `| ${names.join('<br>')} | ${course} |`),
	];
}

function courseOf(observation: Observation | undefined): string {
	if (observation === undefined) return 'The case fails: run the test to see why. |';
	const sees = [...new Set(observation.sees.map(lasting))].map(escaped);
	return `${escaped(observation.happens)} | ${sees.join('<br>')}`;
}

/** A text without what differs from run to run, or from delivery to delivery. */
function lasting(text: string): string {
	return references
		.reduce((shorter, reference) => shorter.replaceAll(`"${reference}"`, '"#…"'), text)
		.replace(/ ?\[item \d+\]/g, '')
		.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
		.replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://…')
		.replace(/\b\d{9,}\b/g, '(number)')
		.replace(/Waited \d+ s/g, 'Waited … s');
}
