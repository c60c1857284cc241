import { readFileSync } from 'node:fs';

import { DeliveryServiceApi } from '../../credentials/DeliveryServiceApi.credentials';
import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import { referenceFile, renderReference } from '../../tools/docs';

const nodes = [new DeliveryService(), new DeliveryServiceTrigger()];
const render = () => renderReference(nodes, new DeliveryServiceApi());

test('docs/reference.md is up to date (if not, run `npm run docs`)', () => {
	expect(readFileSync(referenceFile, 'utf8')).toBe(render());
});

test('renders the same reference every time', () => {
	expect(render()).toBe(render());
});

test.each(nodes)(
	'the reference has every parameter of $description.displayName with its label',
	({ description: { properties } }) => {
		const reference = render();
		const missing = properties
			.filter(({ name, type }) => name !== 'operation' && type !== 'notice')
			.filter(({ name, displayName }) => !reference.includes(`| \`${name}\` | ${displayName} |`))
			.map(({ name }) => name);
		expect(missing).toEqual([]);
	},
);

test('the reference describes the fields of the order options once and refers to them', () => {
	const reference = render();
	expect(reference.match(/ › Send All Orders To \|/g)).toHaveLength(1);
	expect(reference).toMatch(/Its fields are described in \[Delivery: Create.*`address`/);
});

test('the reference lists the fields of collections, and all table rows have the same columns', () => {
	const reference = render();
	expect(reference).toContain('| `options.companyId` | Options › Company ID | string |');
	expect(reference).toContain('| `packages.package[].size` | Packages › Size | options | `s` |');
	const rows = reference.split('\n').filter((line) => line.startsWith('|'));
	const cells = rows.map((row) => row.split(/(?<!\\)\|/).length);
	expect([...new Set(cells)]).toEqual([7]);
});
