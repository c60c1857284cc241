import { references } from './create';
import type { Observation } from './observation';

/** The observations of a variant, by name of the case. */
export type Observations = ReadonlyMap<string, Observation>;

/**
 * The text of the snapshot: the outcome of every case that differs from the documented one, with the
 * numbers of its messages, then each message once, so that a changed message changes only a few lines.
 */
export function snapshotOf(observed: Observations, documented: Observations): string {
	const messages: string[] = [];
	const cases = new Map<string, string[]>();
	for (const [name, observation] of observed) {
		const asDocumented = documented.get(name);
		if (asDocumented !== undefined && isSame(observation, asDocumented)) continue;
		const numbers = stableMessages(observation).map((message) => {
			if (!messages.includes(message)) messages.push(message);
			return ` (${messages.indexOf(message) + 1})`;
		});
		const result = `\t${observation.outcome}: ${observation.summary}${numbers.join('')}`;
		cases.set(result, [...(cases.get(result) ?? []), name]);
	}
	if (cases.size === 0) return 'As documented.';
	return [
		...[...cases].map(([result, names]) => [...names, result].join('\n')),
		'',
		...messages.map((message, index) => `(${index + 1}) ${message}`),
	].join('\n');
}

const isSame = (one: Observation, other: Observation): boolean =>
	one.outcome === other.outcome &&
	one.summary === other.summary &&
	stableMessages(one).join() === stableMessages(other).join();

/** The distinct messages of a case, with one sentence per line. */
function stableMessages({ messages }: Observation): string[] {
	const texts = messages.map((message) =>
		withoutRandomParts(message).replace(/\n|(?<=[.!?]) (?=[A-Z"])/g, '\n\t'),
	);
	return [...new Set(texts)];
}

/** A message without the parts that differ between runs or between deliveries. */
function withoutRandomParts(message: string): string {
	return references
		.reduce((text, reference) => text.replaceAll(`"${reference}"`, '"#…"'), message)
		.replace(/(^|whether )(delivery )?[#\w-]+ was (?=created|updated|not )/, '$1$2#… was ')
		.replace(/ ?\[item \d+\]/g, '')
		.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
		.replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://…')
		.replace(/127\.0\.0\.1:\d+/g, '…')
		.replace(/\b\d{9,}\b/g, '(number)')
		.replace(/Waited \d+ s/g, 'Waited … s');
}
