import fc from 'fast-check';

import { deliverySchema } from '../../../nodes/DeliveryService/service/schemas';
import { samplePart } from '../../support/sampleFulfillmentOrder';
import { outcomeOf, sampleAddress, sampleLine, sampleOrder } from '../../support/sampleOrder';
import { payableInCash } from '../../support/shopifyOrders';

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
		packageSize: fc.constantFrom({ by: 'fixed', size: 's' }, { by: 'weight' }),
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
	const anything = fc.anything({ withBigInt: true, withNullPrototype: true });
	const someOf = <Name extends string>(...names: Name[]) =>
		fc.dictionary(fc.constantFrom(...names), fc.oneof(anything, fc.constant('1'), fc.string()));
	const optionalFields = fc.record({
		order: someOf('phone', 'note', 'note_attributes', 'tags', 'currency', 'customer', 'updated_at'),
		address: someOf('company', 'address2', 'phone', 'latitude', 'longitude'),
		line: someOf(
			'name',
			'title',
			'sku',
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
					{ packagesPer: perUnit ? 'unit' : 'order', packageSize: { by: 'weight' } },
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

describe('the fulfillment orders of an order', () => {
	/** How many units of each line each fulfillment order has. */
	const split = fc
		.record({
			lines: fc.array(lineItem, { minLength: 1, maxLength: 5 }),
			parts: fc.array(
				fc.record({
					units: fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 5, maxLength: 5 }),
					status: fc.constantFrom('open', 'in_progress', 'on_hold', 'scheduled', 'closed'),
					method: fc.constantFrom('shipping', 'local', 'pick_up', 'retail'),
				}),
				{ minLength: 1, maxLength: 5 },
			),
			unpaidCents: fc.integer({ min: 1, max: 5_000_000 }),
			currency: fc.constantFrom('MXN', 'JPY', 'KWD'),
		})
		.map(({ lines, parts, ...rest }) => {
			const left = lines.map(({ quantity, removed }) => quantity - removed);
			const assigned = parts.map(({ units, ...part }, index) => ({
				...part,
				id: index + 1,
				units: left.map((most, line) => {
					const own = index === parts.length - 1 ? most : Math.min(most, units[line] ?? 0);
					left[line] = most - own;
					return own;
				}),
			}));
			return { ...rest, lines, parts: assigned };
		});

	test('are sent or skipped with all units, and collect what is unpaid at most', () => {
		fc.assert(
			fc.property(split, ({ lines, parts, unpaidCents, currency }) => {
				const order = {
					...orderWithLines(lines),
					...payableInCash,
					currency,
					total_outstanding: currency === 'JPY' ? String(unpaidCents) : formatCents(unpaidCents),
				};
				const unpaid = unpaidCents * (currency === 'JPY' ? 1000 : 10);
				const outcomes = parts.map(({ id, status, method, units }) => ({
					units,
					outcome: outcomeOf(
						{
							order,
							fulfillmentOrder: samplePart({
								id,
								order_id: undefined,
								status,
								delivery_method: { method_type: method },
								line_items: units.map((count, line) => ({
									line_item_id: line + 1,
									quantity: count,
									fulfillable_quantity: count,
								})),
							}),
						},
						{ packagesPer: 'unit' },
					),
				}));
				let sent = 0;
				let skipped = 0;
				let collected = 0;
				for (const { units, outcome } of outcomes) {
					const shippable = units.reduce(
						(sum, count, line) => sum + (lines[line]?.ships ? count : 0),
						0,
					);
					if (outcome.kind === 'skipped') skipped += shippable;
					if (outcome.kind !== 'delivery') continue;
					const count = outcome.delivery.packages.reduce((sum, { qty }) => sum + qty, 0);
					expect(count).toBe(shippable);
					sent += count;
					collected += Math.round((outcome.delivery.cod ?? 0) * 1000);
				}
				const toShip = lines.reduce(
					(sum, { ships, quantity, removed }) => sum + (ships ? quantity - removed : 0),
					0,
				);
				expect(sent + skipped).toBe(toShip);
				expect(collected).toBeLessThanOrEqual(unpaid);
				// Nothing is lost unless units of one line are split.
				const areLinesWhole = parts.every(({ units }) =>
					units.every((count, line) => {
						const { quantity = 0, removed = 0 } = lines[line] ?? {};
						return count === 0 || count === quantity - removed;
					}),
				);
				if (areLinesWhole && sent === toShip && toShip > 0) expect(collected).toBe(unpaid);
			}),
			{ numRuns: 500 },
		);
	});
});
