import fc from 'fast-check';

import { findDuplicates } from '../../../nodes/DeliveryService/sending/duplicates';
import type { Creation } from '../../../nodes/DeliveryService/sending/outcomes';
import { creation } from '../../support/creations';

/** Duplicates only matter to a run with a ledger. */
const withLedger = (ownCompanyId?: number) => ({ ledgerFor: () => undefined, ownCompanyId });

/** The item numbers in each group. */
function itemsOf(creations: Creation[], ownCompanyId?: number): Record<string, number[]> {
	const { unique, duplicates, conflicts } = findDuplicates(creations, withLedger(ownCompanyId));
	const items = (some: readonly Creation[]) => some.map(({ item }) => item);
	return {
		unique: items(unique),
		duplicates: items(duplicates.map(({ creation }) => creation)),
		conflicts: items(conflicts),
	};
}

test('finds a duplicate of a reference ID', () => {
	expect(itemsOf([creation(0, 'A'), creation(1, 'B'), creation(2, 'A')])).toEqual({
		unique: [0, 1],
		duplicates: [2],
		conflicts: [],
	});
});

test('treats creations without a reference ID as unique', () => {
	expect(itemsOf([creation(0), creation(1)]).unique).toEqual([0, 1]);
});

test('treats all creations as unique without a ledger', () => {
	const creations = [creation(0, 'A'), creation(1, 'A')];
	expect(findDuplicates(creations, {})).toEqual({
		unique: creations,
		duplicates: [],
		conflicts: [],
	});
});

test('distinguishes the reference IDs of different companies', () => {
	const creations = [
		creation(0, 'A'),
		creation(1, 'A', { companyId: 7 }),
		creation(2, 'A', { companyId: 8 }),
	];
	expect(itemsOf(creations, 7)).toMatchObject({ unique: [0, 2], duplicates: [1] });
	expect(itemsOf(creations)).toMatchObject({ unique: [0, 1, 2], duplicates: [] });
});

test.each([
	['the same order', '1', '1', 'duplicates'],
	['another order', '1', '2', 'conflicts'],
	['a known and an unknown order', '1', undefined, 'duplicates'],
	['an unknown and a known order', undefined, '1', 'duplicates'],
] as const)('groups the same reference ID of %s', (_orders, one, other, kind) => {
	const creations = [creation(0, 'A', { orderId: one }), creation(1, 'A', { orderId: other })];
	expect(itemsOf(creations)[kind]).toEqual([1]);
});

/** A fulfillment order of the order A. */
const partOfA = (item: number, part: number, more: Partial<Creation> = {}) =>
	creation(item, `A-${part}`, { orderReferenceId: 'A', ...more });

test('finds a whole order and its fulfillment orders, whichever comes first', () => {
	expect(itemsOf([creation(0, 'A'), partOfA(1, 1), partOfA(2, 2)])).toEqual({
		...{ unique: [0], duplicates: [1, 2], conflicts: [] },
	});
	expect(itemsOf([partOfA(0, 1), creation(1, 'A'), partOfA(2, 2), partOfA(3, 1)])).toEqual({
		...{ unique: [0, 2], duplicates: [1, 3], conflicts: [] },
	});
});

test('leaves the fulfillment orders of another order or company to the ledger', () => {
	const one = { orderId: '1' };
	const two = { orderId: '2' };
	const creations = [creation(0, 'A', one), partOfA(1, 1, two), partOfA(2, 2, { companyId: 8 })];
	expect(itemsOf(creations, 7).unique).toEqual([0, 1, 2]);
	const withParts = [partOfA(0, 1, two), partOfA(1, 2, one), creation(2, 'A', one)];
	expect(itemsOf(withParts)).toMatchObject({ unique: [0, 1], duplicates: [2] });
});

test('puts each creation into one group, and no reference ID is unique twice', () => {
	const creationArbitrary = fc.record({
		referenceId: fc.option(fc.constantFrom('A', 'B'), { nil: undefined }),
		orderId: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
		companyId: fc.option(fc.constantFrom(7, 8), { nil: undefined }),
	});
	fc.assert(
		fc.property(fc.array(creationArbitrary), (list) => {
			const creations = list.map(({ referenceId, companyId, orderId }, item) =>
				creation(item, referenceId, { companyId, orderId }),
			);
			const { unique, duplicates, conflicts } = findDuplicates(creations, withLedger(7));
			const uniqueSet = new Set(unique);
			expect(duplicates.every(({ first }) => uniqueSet.has(first))).toBe(true);
			const others = duplicates.map(({ creation }) => creation);
			const items = [...unique, ...others, ...conflicts].map(({ item }) => item);
			expect(items.sort((a, b) => a - b)).toEqual(creations.map(({ item }) => item));
			const keys = unique.flatMap(({ delivery: { referenceId }, companyId = 7 }) =>
				referenceId === undefined ? [] : [`${referenceId} ${companyId}`],
			);
			expect(new Set(keys).size).toBe(keys.length);
		}),
	);
});
