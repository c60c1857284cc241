import fc from 'fast-check';

import { deliverySchema } from '../../../nodes/DeliveryService/service/schemas';
import {
	byWeight,
	outcomeOf,
	sampleAddress,
	sampleLine,
	sampleOrder,
} from '../../support/sampleOrder';

interface LineItem {
	quantity: number;
	removed: number;
	cents: number;
	discountCents: number;
	grams: number;
	ships: boolean;
}

const lineItem: fc.Arbitrary<LineItem> = fc
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

function formatCents(cents: number): string {
	return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

function orderWithLines(lines: LineItem[]) {
	return sampleOrder({
		line_items: lines.map((entry, index) =>
			sampleLine({
				id: index + 1,
				quantity: entry.quantity,
				current_quantity: entry.quantity - entry.removed,
				fulfillable_quantity: entry.quantity - entry.removed,
				price: formatCents(entry.cents),
				grams: entry.grams,
				requires_shipping: entry.ships,
				discount_allocations: [{ amount: formatCents(entry.discountCents) }],
			}),
		),
	});
}

/** Converts a price to cents; fails on a price with more than two decimals. */
function toCents(price: number | undefined): number {
	const [whole = '', fraction = ''] = String(price).split('.');
	expect(fraction.length).toBeLessThanOrEqual(2);
	return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

const pickup = {
	contact: { name: 'Shop', email: 'shop@example.com' },
	location: { address: 'Calle Sol 1' },
};

test('prices and weights match integer arithmetic, per order and per unit', () => {
	fc.assert(
		fc.property(fc.array(lineItem, { maxLength: 8 }), (lines) => {
			const remaining = lines.filter(({ ships, quantity, removed }) => ships && quantity > removed);
			const order = outcomeOf(orderWithLines(lines));
			const perUnit = outcomeOf(orderWithLines(lines), { packagesPer: 'unit' });
			if (order.kind !== 'delivery' || perUnit.kind !== 'delivery') {
				expect(remaining).toEqual([]);
				expect([order.kind, perUnit.kind]).toEqual(['skipped', 'skipped']);
				return;
			}
			const expected = remaining.map(
				({ quantity, removed, cents: price, discountCents, grams }) => {
					const units = quantity - removed;
					const discount = Math.floor((2 * discountCents * units + quantity) / (2 * quantity));
					return { units, cents: price * units - discount, grams: grams * units };
				},
			);
			expect(perUnit.delivery.packages.map(({ qty }) => qty)).toEqual(expected.map((e) => e.units));
			expect(perUnit.delivery.packages.map(({ price }) => toCents(price))).toEqual(
				expected.map((e) => e.cents),
			);
			const [orderPackage] = order.delivery.packages;
			expect(toCents(orderPackage?.price)).toBe(expected.reduce((total, e) => total + e.cents, 0));
			const grams = expected.reduce((total, e) => total + e.grams, 0);
			const hasWeights = expected.every((e) => e.grams > 0);
			expect(orderPackage?.weight).toBe(hasWeights ? grams / 1000 : undefined);
		}),
		{ numRuns: 300 },
	);
});

test('a mapped order with a pickup passes every rule of the API document', () => {
	const mapping = fc.record({
		addressFormat: fc.constantFrom('components', 'text'),
		packagesPer: fc.constantFrom('order', 'unit'),
		packageSizeByWeight: fc.constantFrom([], byWeight.packageSizeByWeight),
		referenceIdFrom: fc.constantFrom('name', 'id', 'orderNumber'),
		cod: fc.constantFrom('never', 'cashOnDeliveryOrders', 'unpaid'),
	});
	fc.assert(
		fc.property(fc.array(lineItem, { minLength: 1, maxLength: 4 }), mapping, (lines, options) => {
			const outcome = outcomeOf({ ...orderWithLines(lines), tags: 'a, b', note: 'n' }, options);
			if (outcome.kind !== 'delivery') return;
			deliverySchema.parse({ pickup, ...outcome.delivery });
		}),
	);
});

test('an order with arbitrary optional fields becomes a delivery that passes every rule of the API document', () => {
	const anything = fc
		.anything({ withBigInt: true, withNullPrototype: true })
		// Twice the price of an item must be a number.
		.filter((value) => !(typeof value === 'number' && value > 1e300));
	const someOf = <Name extends string>(...names: Name[]) =>
		fc.dictionary(fc.constantFrom(...names), fc.oneof(anything, fc.constant('1'), fc.string()));
	const optionalFields = fc.record({
		order: someOf('phone', 'note', 'note_attributes', 'tags', 'currency', 'customer', 'updated_at'),
		address: someOf('company', 'address2', 'phone', 'latitude', 'longitude'),
		line: someOf(
			'name',
			'title',
			'properties',
			'grams',
			'price',
			'discount_allocations',
			'total_discount',
		),
		attributes: fc.array(fc.oneof(anything, fc.record({ name: fc.string(), value: anything }))),
		tags: fc.array(fc.oneof(anything, fc.string({ maxLength: 60 }))),
	});
	fc.assert(
		fc.property(
			optionalFields,
			fc.boolean(),
			({ order, address, line, attributes, tags }, perUnit) => {
				const outcome = outcomeOf(
					sampleOrder({
						note_attributes: attributes,
						tags,
						...order,
						shipping_address: sampleAddress(address),
						line_items: [sampleLine(line)],
					}),
					{ packagesPer: perUnit ? 'unit' : 'order', ...byWeight },
				);
				if (outcome.kind !== 'delivery') throw new Error(JSON.stringify(outcome));
				deliverySchema.parse({ pickup, ...outcome.delivery });
			},
		),
		{ numRuns: 1000 },
	);
});

describe('the units left to ship of a line', () => {
	const lineLife = fc
		.record({
			shippedFirst: fc.integer({ min: 0, max: 6 }),
			canceled: fc.integer({ min: 0, max: 6 }),
			removed: fc.integer({ min: 0, max: 6 }),
			left: fc.integer({ min: 0, max: 6 }),
			returnedShare: fc.integer({ min: 0, max: 6 }),
		})
		.filter(
			({ shippedFirst, canceled, removed, left }) => shippedFirst + canceled + removed + left > 0,
		)
		.map(({ returnedShare, ...life }) => ({
			...life,
			returned: Math.min(returnedShare, life.shippedFirst),
			quantity: life.shippedFirst + life.canceled + life.removed + life.left,
		}));
	const shape = fc.record({
		hasFulfillments: fc.boolean(),
		fulfillableBy: fc.constantFrom('docs', 'api', 'none'),
		hasCurrentQuantity: fc.boolean(),
	});

	test('are the units that were neither fulfilled nor canceled, or unknown', () => {
		fc.assert(
			fc.property(
				lineLife,
				shape,
				(life, { hasFulfillments, fulfillableBy, hasCurrentQuantity }) => {
					// Only the current quantity shows units that were removed without a refund.
					fc.pre(hasCurrentQuantity || life.removed === 0);
					const { quantity, shippedFirst: fulfilled, canceled, removed, returned, left } = life;
					const gone = canceled + removed + returned;
					const fulfillable = {
						docs: quantity - Math.max(gone, fulfilled),
						api: left,
						none: undefined,
					}[fulfillableBy];
					const line = sampleLine({
						quantity,
						current_quantity: hasCurrentQuantity ? quantity - gone : undefined,
						fulfillable_quantity: fulfillable,
						fulfillment_status: fulfilled === 0 ? null : left === 0 ? 'fulfilled' : 'partial',
					});
					const refundOf = (units: number, restock_type: string) => ({
						refund_line_items:
							units > 0 ? [{ line_item_id: 7001, quantity: units, restock_type }] : [],
					});
					const outcome = outcomeOf(
						sampleOrder({
							line_items: [line],
							refunds: [refundOf(canceled, 'cancel'), refundOf(returned, 'return')],
							fulfillments: hasFulfillments
								? [{ status: 'success', line_items: [{ id: 7001, quantity: fulfilled }] }]
								: undefined,
						}),
						{ packagesPer: 'unit' },
					);
					if (outcome.kind === 'delivery')
						expect(outcome.delivery.packages.map(({ qty }) => qty)).toEqual([left]);
					else if (outcome.kind === 'skipped') expect(left).toBe(0);
					else {
						expect(outcome.problem.message).toContain("doesn't say how many units");
						expect(hasFulfillments).toBe(false);
					}
				},
			),
			{ numRuns: 3000 },
		);
	});
});
