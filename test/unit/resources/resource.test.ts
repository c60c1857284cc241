import type { INodeProperties } from 'n8n-workflow';

import {
	resourceProperties,
	showFor,
	type Operation,
} from '../../../nodes/DeliveryService/resources/resource';

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

	test('begin with a picker of its operations, shown for the resource only', () => {
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

	test("go on with each operation's fields, shown for it only", () => {
		expect(fields.map(({ name, displayOptions }) => [name, displayOptions?.show])).toEqual([
			['a', { resource: ['parcel'], operation: ['fetch'] }],
			['b', { resource: ['parcel'], operation: ['fetch'] }],
			['c', { resource: ['parcel'], operation: ['send'], a: ['x'] }],
		]);
	});
});

describe('fields that are shown only for some values', () => {
	test('keep everything else that they are', () => {
		const given = field('a', { description: 'Of use' });
		expect(showFor({ source: ['json'] }, [given])).toEqual([
			{ ...given, displayOptions: { show: { source: ['json'] } } },
		]);
	});

	test('keep their own conditions, which come before the added ones', () => {
		const given = field('a', {
			displayOptions: { show: { limit: [1], source: ['fields'] }, hide: { b: [true] } },
		});
		expect(showFor({ source: ['json'], kind: ['x'] }, [given])[0]?.displayOptions).toEqual({
			show: { source: ['fields'], kind: ['x'], limit: [1] },
			hide: { b: [true] },
		});
	});

	test('are new ones: those that were given stay as they were', () => {
		const given = Object.freeze(field('a', { displayOptions: Object.freeze({ show: {} }) }));
		showFor({ source: ['json'] }, [given]);
		expect(given.displayOptions).toEqual({ show: {} });
	});
});
