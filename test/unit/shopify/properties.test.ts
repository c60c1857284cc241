import fc from 'fast-check';

import { deliverySchema } from '../../../nodes/DeliveryService/service/schemas';
import { outcomeOf, sampleAddress, sampleLine, sampleOrder } from '../../support/sampleOrder';

interface Line {
	quantity: number;
	removed: number;
	cents: number;
	discountCents: number;
	grams: number;
	ships: boolean;
}

const line: fc.Arbitrary<Line> = fc
	.record({
		quantity: fc.integer({ min: 1, max: 20 }),
		removedShare: fc.integer({ min: 0, max: 20 }),
		cents: fc.integer({ min: 0, max: 5_000_000 }),
		discountShare: fc.integer({ min: 0, max: 100 }),
		grams: fc.integer({ min: 0, max: 100_000 }),
		ships: fc.boolean(),
	})
	.map(({ removedShare, discountShare, ...rest }) => ({
		...rest,
		removed: Math.min(removedShare, rest.quantity),
		discountCents: Math.floor((rest.cents * rest.quantity * discountShare) / 100),
	}));

function cents(amount: number): string {
	return `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}

function orderOf(lines: Line[]) {
	return sampleOrder({
		line_items: lines.map((entry, index) =>
			sampleLine({
				id: index + 1,
				quantity: entry.quantity,
				current_quantity: entry.quantity - entry.removed,
				fulfillable_quantity: entry.quantity - entry.removed,
				price: cents(entry.cents),
				grams: entry.grams,
				requires_shipping: entry.ships,
				discount_allocations: [{ amount: cents(entry.discountCents) }],
			}),
		),
	});
}

/** Whole cents of a price; a price with more decimals than cents fails. */
function inCents(price: number | undefined): number {
	const [whole = '', fraction = ''] = String(price).split('.');
	expect(fraction.length).toBeLessThanOrEqual(2);
	return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

const pickup = {
	contact: { name: 'Shop', email: 'shop@example.com' },
	location: { address: 'Calle Sol 1' },
};

test('price and weight agree with whole-number arithmetic, for the order and line by line', () => {
	fc.assert(
		fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
			const left = lines.filter(({ ships, quantity, removed }) => ships && quantity > removed);
			const order = outcomeOf(orderOf(lines));
			const perLine = outcomeOf(orderOf(lines), { packagesPer: 'unit' });
			if (order.kind !== 'delivery' || perLine.kind !== 'delivery') {
				expect(left).toEqual([]);
				expect([order.kind, perLine.kind]).toEqual(['skipped', 'skipped']);
				return;
			}
			const expected = left.map(({ quantity, removed, cents: price, discountCents, grams }) => {
				const units = quantity - removed;
				const discount = Math.floor((2 * discountCents * units + quantity) / (2 * quantity));
				return { units, cents: price * units - discount, grams: grams * units };
			});
			expect(perLine.delivery.packages.map(({ qty }) => qty)).toEqual(expected.map((e) => e.units));
			expect(perLine.delivery.packages.map(({ price }) => inCents(price))).toEqual(
				expected.map((e) => e.cents),
			);
			const [whole] = order.delivery.packages;
			expect(inCents(whole?.price)).toBe(expected.reduce((total, e) => total + e.cents, 0));
			const grams = expected.reduce((total, e) => total + e.grams, 0);
			const isWeighed = expected.every((e) => e.grams > 0);
			expect(whole?.weight).toBe(isWeighed ? grams / 1000 : undefined);
		}),
		{ numRuns: 300 },
	);
});

test('what comes out, with a pickup, passes every rule of the service document', () => {
	const mapping = fc.record({
		addressFormat: fc.constantFrom('components', 'text'),
		packagesPer: fc.constantFrom('order', 'unit'),
		packageSize: fc.constantFrom({ by: 'fixed', size: 's' }, { by: 'weight' }),
		referenceIdFrom: fc.constantFrom('name', 'id', 'orderNumber'),
		cod: fc.constantFrom('never', 'cashOnDeliveryOrders', 'unpaid'),
	});
	fc.assert(
		fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), mapping, (lines, options) => {
			const outcome = outcomeOf({ ...orderOf(lines), tags: 'a, b', note: 'n' }, options);
			if (outcome.kind !== 'delivery') return;
			deliverySchema.parse({ pickup, ...outcome.delivery });
		}),
	);
});

test('whatever its optional parts are, an order becomes a delivery that passes every rule', () => {
	const anything = fc.anything({ withBigInt: true, withNullPrototype: true });
	const several = <Name extends string>(...names: Name[]) =>
		fc.dictionary(fc.constantFrom(...names), fc.oneof(anything, fc.constant('1'), fc.string()));
	const parts = fc.record({
		order: several(
			'phone',
			'note',
			'note_attributes',
			'tags',
			'currency',
			'customer',
			'updated_at',
		),
		address: several('company', 'address2', 'phone', 'latitude', 'longitude'),
		line: several('name', 'title', 'grams', 'price', 'discount_allocations', 'total_discount'),
		attributes: fc.array(fc.oneof(anything, fc.record({ name: fc.string(), value: anything }))),
		tags: fc.array(fc.oneof(anything, fc.string({ maxLength: 60 }))),
	});
	fc.assert(
		fc.property(parts, fc.boolean(), ({ order, address, line, attributes, tags }, perLine) => {
			const outcome = outcomeOf(
				sampleOrder({
					note_attributes: attributes,
					tags,
					...order,
					shipping_address: sampleAddress(address),
					line_items: [sampleLine(line)],
				}),
				{ packagesPer: perLine ? 'unit' : 'order', packageSize: { by: 'weight' } },
			);
			if (outcome.kind !== 'delivery') throw new Error(JSON.stringify(outcome));
			deliverySchema.parse({ pickup, ...outcome.delivery });
		}),
		{ numRuns: 1000 },
	);
});
