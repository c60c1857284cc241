import fc from 'fast-check';

import { bySameReference } from '../../../nodes/DeliveryService/deduplication/sameReference';
import type { Creation } from '../../../nodes/DeliveryService/sending/outcomes';
import { creation } from '../../support/creations';

/** The items of each kind. */
function itemsOf(creations: Creation[], ownCompanyId?: number): Record<string, number[]> {
	const { first, further, ofAnotherOrder } = bySameReference(creations, ownCompanyId);
	const items = (some: readonly Creation[]) => some.map(({ item }) => item);
	return {
		first: items(first),
		further: items(further.map(({ creation }) => creation)),
		ofAnotherOrder: items(ofAnotherOrder),
	};
}

test('the same reference twice is the first and a further one', () => {
	expect(itemsOf([creation(0, 'A'), creation(1, 'B'), creation(2, 'A')])).toEqual({
		first: [0, 1],
		further: [2],
		ofAnotherOrder: [],
	});
});

test('without a reference all are first', () => {
	expect(itemsOf([creation(0), creation(1)]).first).toEqual([0, 1]);
});

test('another company is another reference, however the company is given', () => {
	const creations = [
		creation(0, 'A'),
		creation(1, 'A', { companyId: 7 }),
		creation(2, 'A', { companyId: 8 }),
	];
	expect(itemsOf(creations, 7)).toMatchObject({ first: [0, 2], further: [1] });
	expect(itemsOf(creations)).toMatchObject({ first: [0, 1, 2], further: [] });
});

test.each([
	['the same order', '1', '1', 'further'],
	['another order', '1', '2', 'ofAnotherOrder'],
	['an order and none', '1', undefined, 'further'],
	['no order and one', undefined, '1', 'further'],
] as const)('the same reference of %s', (_who, one, other, kind) => {
	const creations = [
		creation(0, 'A', { shopifyOrder: { id: one } }),
		creation(1, 'A', { shopifyOrder: { id: other } }),
	];
	expect(itemsOf(creations)[kind]).toEqual([1]);
});

test('each creation is of one kind, and no reference is first twice', () => {
	const creationArbitrary = fc.record({
		referenceId: fc.option(fc.constantFrom('A', 'B'), { nil: undefined }),
		orderId: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
		companyId: fc.option(fc.constantFrom(7, 8), { nil: undefined }),
	});
	fc.assert(
		fc.property(fc.array(creationArbitrary), (list) => {
			const creations = list.map(({ referenceId, companyId, orderId }, item) =>
				creation(item, referenceId, { companyId, shopifyOrder: { id: orderId } }),
			);
			const { first, further, ofAnotherOrder } = bySameReference(creations, 7);
			const isFirst = new Set(first);
			expect(further.every((one) => isFirst.has(one.first))).toBe(true);
			const others = further.map(({ creation }) => creation);
			const items = [...first, ...others, ...ofAnotherOrder].map(({ item }) => item);
			expect(items.sort((a, b) => a - b)).toEqual(creations.map(({ item }) => item));
			const names = first.flatMap(({ delivery: { referenceId }, companyId = 7 }) =>
				referenceId === undefined ? [] : [`${referenceId} ${companyId}`],
			);
			expect(new Set(names).size).toBe(names.length);
		}),
	);
});
