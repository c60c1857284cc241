import type { INodeProperties } from 'n8n-workflow';

import {
	resourceProperties,
	showFor,
	type Operation,
} from '../../../nodes/DeliveryService/operations/resource';

function field(name: string, more: Partial<INodeProperties> = {}): INodeProperties {
	return { displayName: name, name, type: 'string', default: '', ...more };
}

function operation(value: string, fields: INodeProperties[]): Operation {
	return {
		option: { name: value, value, action: value },
		fields,
		run: () => Promise.resolve([]),
	};
}

describe('the properties of a resource', () => {
	const fetch = operation('fetch', [field('a'), field('b')]);
	const send = operation('send', [field('c', { displayOptions: { show: { a: ['x'] } } })]);
	const [picker, ...fields] = resourceProperties({
		option: { name: 'Parcel', value: 'parcel' },
		operations: [fetch, send],
		defaultOperation: 'send',
	});

	test('the properties of a resource start with its operation picker', () => {
		expect(picker).toEqual({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: ['parcel'] } },
			options: [fetch.option, send.option],
			default: 'send',
		});
	});

	test('shows the fields of an operation only for that operation', () => {
		expect(fields.map(({ name, displayOptions }) => [name, displayOptions?.show])).toEqual([
			['a', { resource: ['parcel'], operation: ['fetch'] }],
			['b', { resource: ['parcel'], operation: ['fetch'] }],
			['c', { resource: ['parcel'], operation: ['send'], a: ['x'] }],
		]);
	});
});

describe('fields with a display condition', () => {
	test('showFor keeps the other settings of a field', () => {
		const original = field('a', { description: 'Useful' });
		expect(showFor({ source: ['json'] }, [original])).toEqual([
			{ ...original, displayOptions: { show: { source: ['json'] } } },
		]);
	});

	test("showFor keeps a field's own conditions, which override added ones", () => {
		const original = field('a', {
			displayOptions: { show: { limit: [1], source: ['fields'] }, hide: { b: [true] } },
		});
		expect(showFor({ source: ['json'], kind: ['x'] }, [original])[0]?.displayOptions).toEqual({
			show: { source: ['fields'], kind: ['x'], limit: [1] },
			hide: { b: [true] },
		});
	});

	test('showFor leaves the original fields unchanged', () => {
		const original = Object.freeze(field('a', { displayOptions: Object.freeze({ show: {} }) }));
		showFor({ source: ['json'] }, [original]);
		expect(original.displayOptions).toEqual({ show: {} });
	});
});
