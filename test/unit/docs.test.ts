import { readFileSync } from 'node:fs';

import { DeliveryServiceApi } from '../../credentials/DeliveryServiceApi.credentials';
import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import { orderMappingSchema } from '../../nodes/DeliveryService/shopify/mapping';
import { referenceFile, renderReference } from '../../tools/docs';

const nodes = [new DeliveryService(), new DeliveryServiceTrigger()];
const render = () => renderReference(nodes, new DeliveryServiceApi());

test('docs/reference.md is up to date (if not, run `npm run docs`)', () => {
	expect(readFileSync(referenceFile, 'utf8')).toBe(render());
});

test('the reference says what applies without a field, as the defaults of the mapping do', () => {
	const { filters, ...mapping } = orderMappingSchema.parse({ time: { now: 0, timeZone: 'UTC' } });
	const defaults = Object.entries({ ...filters, ...mapping });
	const shown = render()
		.split('\n')
		.map((row) => row.split(' | '));
	for (const [name, value] of defaults.filter(([, one]) => typeof one === 'boolean')) {
		const row = shown.find(([path = '']) => /[.`](\w+)`$/.exec(path)?.[1] === name);
		expect([name, row?.[3]?.split(',')[0]]).toEqual([name, `\`${JSON.stringify(value)}\``]);
	}
});
