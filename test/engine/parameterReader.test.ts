import fc from 'fast-check';
import * as core from 'n8n-core';
import * as n8n from 'n8n-workflow';
import { createRequire } from 'node:module';
import { z } from 'zod';

import { parameterReader } from '../../nodes/DeliveryService/common/parameters';
import { parameterCases, type ParameterCase } from '../support/parameterCases';
import '../support/engine/environment';
import { registry } from '../support/engine/registry';

const comparisonSchema = z.object({
	compareReaders: z
		.function()
		.args(z.unknown(), z.unknown())
		.returns(z.promise(z.object({ differing: z.array(z.unknown()), readWithoutN8n: z.number() }))),
});
const { compareReaders } = comparisonSchema.parse(
	createRequire(__filename)('../support/compareReaders.cjs'),
);

const compare = async (cases: ParameterCase[]) =>
	await compareReaders({ core, n8n, parameterReader }, cases);

test('returns the same parameters as n8n, and changes no shared data', async () => {
	const property = fc.asyncProperty(fc.array(parameterCases, { maxLength: 20 }), async (cases) => {
		expect((await compare(cases)).differing).toEqual([]);
	});
	await fc.assert(property, { numRuns: 60 });
});

test.each([
	['constants', { name: 'Box', options: ['{{ $json.a }}', 5, null] }],
	['the whole item', '={{ $json }}'],
	['fields of the item', { a: '={{ $json.a }}', b: ['={{ $json.b.c }}'], c: 'text' }],
])('reads %s without the expression engine of n8n', async (_, value) => {
	const items = [{ a: 1, b: { c: null } }];
	const result = await compare([{ value, path: 'value', fallback: undefined, items }]);
	expect(result).toEqual({ differing: [], readWithoutN8n: 1 });
});

test('has no parameter that n8n converts or validates when it is read', () => {
	const fieldsOf = (fields: unknown): unknown[] =>
		z
			.array(z.object({ options: z.unknown(), values: z.unknown() }).passthrough())
			.catch([])
			.parse(fields)
			.flatMap((field) => [field, ...fieldsOf(field.options), ...fieldsOf(field.values)]);
	const fields = registry.allNodes().flatMap(({ description }) => fieldsOf(description.properties));
	expect(fields.length).toBeGreaterThan(100);
	for (const field of fields) {
		expect(field).not.toHaveProperty('validateType');
		expect(field).not.toHaveProperty('extractValue');
		expect(field).not.toHaveProperty('type', 'resourceMapper');
	}
});
