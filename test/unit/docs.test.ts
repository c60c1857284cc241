import { readFileSync } from 'node:fs';

import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import { referenceFile, renderReference } from '../../tools/docs';

test('docs/reference.md is what the descriptions say now (else run `npm run docs`)', () => {
	expect(readFileSync(referenceFile, 'utf8')).toBe(renderReference());
});

test('the reference is the same however often it is made', () => {
	expect(renderReference()).toBe(renderReference());
});

test.each([new DeliveryService(), new DeliveryServiceTrigger()])(
	'the reference has every parameter of a node, with its label',
	({ description: { properties } }) => {
		const reference = renderReference();
		const missing = properties
			.filter(({ name, type }) => name !== 'operation' && type !== 'notice')
			.filter(({ name, displayName }) => !reference.includes(`| \`${name}\` | ${displayName} |`))
			.map(({ name }) => name);
		expect(missing).toEqual([]);
	},
);

test('members of collections stand below them, and every line of a table has as many cells', () => {
	const reference = renderReference();
	expect(reference).toContain('| `options.companyId` | Options › Company ID | string |');
	expect(reference).toContain('| `packages.package[].size` | Packages › Size | options | `s` |');
	const rows = reference.split('\n').filter((line) => line.startsWith('|'));
	const cells = rows.map((row) => row.split(/(?<!\\)\|/).length);
	expect([...new Set(cells)]).toEqual([7]);
});
