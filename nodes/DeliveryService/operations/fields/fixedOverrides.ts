import type { IExecuteFunctions } from 'n8n-workflow';

import { asRecord } from '../../common/parameters';
import { isBlank } from '../../common/text';

/** The order options that replace the recipient, and what each does, as the rest of a sentence about all deliveries. */
const sentences: ReadonlyArray<readonly [string, (value: string) => string]> = [
	['address', (value) => `go to ${value}`],
	['lat', (value) => `go to latitude ${value}`],
	['lng', (value) => `go to longitude ${value}`],
	['name', (value) => `are for ${value}`],
	['email', (value) => `have the email ${value}`],
	['phone', (value) => `have the phone number ${value}`],
];

/** What they do to all deliveries of a run, without its expressions. */
export function readFixedOverrides(context: Pick<IExecuteFunctions, 'getNodeParameter'>): string[] {
	return fixedOverrides(context.getNodeParameter('orderOptions', 0, {}, { rawExpressions: true }));
}

/** The same, from the parameter as n8n stores it. */
export function fixedOverrides(parameter: unknown): string[] {
	const raw = asRecord(parameter);
	return sentences.flatMap(([name, sentence]) => {
		const value = raw[name];
		const isFixed = typeof value === 'string' && !value.startsWith('=') && !isBlank(value);
		return isFixed ? [sentence(value.trim())] : [];
	});
}

/**
 * Warns about a recipient or an address that is the same for all orders of a run: most often it was
 * meant for one of them.
 *
 * @param overrides see {@link readFixedOverrides}
 * @returns undefined when nothing is overridden
 */
export function overridesMessage(overrides: readonly string[], count: number): string | undefined {
	if (overrides.length === 0) return undefined;
	const [last] = overrides.slice(-1);
	const list = overrides.length > 1 ? `${overrides.slice(0, -1).join(', ')} and ${last}` : last;
	return `All ${count} deliveries ${list}. These Order Options apply to every order: use an expression to decide per order.`;
}
