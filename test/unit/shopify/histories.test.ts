/**
 * Random histories of one order in Shopify, before and after its deliveries are sent: each unit goes out
 * once, from the location that has it, nothing goes out that the filters exclude, all deliveries
 * together never collect more than what was not paid online, and what can't be sent or may not be
 * collected is reported.
 */
import fc from 'fast-check';

import { Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import { neededFor } from '../../../nodes/DeliveryService/messages/needs';
import type { Job } from '../../../nodes/DeliveryService/sending/job';
import { RateLimit } from '../../../nodes/DeliveryService/sending/rateLimit';
import { sendJobs } from '../../../nodes/DeliveryService/sending/send';
import { deliverySchema } from '../../../nodes/DeliveryService/service/schemas';
import { orderToDelivery } from '../../../nodes/DeliveryService/shopify/toDelivery';
import { FakeService } from '../../support/creations';
import { toGraphqlOrder, toGraphqlPart } from '../../support/graphqlOrder';
import { memoryStore, type Row } from '../../support/memoryStore';
import { samplePart } from '../../support/sampleFulfillmentOrder';
import { mappingOf, sampleLine, sampleOrder } from '../../support/sampleOrder';
import { payableInCash } from '../../support/shopifyOrders';
import { VirtualTime } from '../../support/virtualTime';

const count = Number(process.env.SEQUENCES ?? 400);

/** One unit of a line item. */
interface Unit {
	line: number;
	cents: number;
	part: Part;
	state: 'open' | 'fulfilled' | 'canceled';
	/** The customer got the money back, but the unit may still ship. */
	isRefunded: boolean;
	isReturned: boolean;
	/** It was removed, and counts as in stock again. */
	isRestocked: boolean;
	isSent: boolean;
}

/** A fulfillment order. */
interface Part {
	id: number;
	location: number;
	status: 'open' | 'on_hold' | 'scheduled' | 'closed' | 'cancelled';
	/** Excluded by the filters. */
	isExcluded: boolean;
	/** Units were added after its delivery was sent. */
	isGrown: boolean;
	isSent: boolean;
	/** What the driver collects. */
	cash: number;
}

/** An order in Shopify, and what the node sends of it. */
class Shop {
	readonly units: Unit[] = [];

	readonly parts: Part[] = [];

	isCanceled = false;

	isSentWhole = false;

	cash = 0;

	/** What the shop has recorded in Shopify of the cash. */
	recorded = 0;

	/** What was refunded after something was sent: the cash of its delivery may be too high until an update. */
	refundedSince = 0;

	/** Whether items were refunded, or added after something was sent. */
	isChanged = false;

	/** Whether an output said that less is collected than the items cost. */
	isReduced = false;

	private lines = 0;

	private readonly time = new VirtualTime();

	private readonly row: Row = { entries: new Set() };

	/**
	 * @param paid what was paid online
	 * @param fee what the customer pays for the shipping
	 * @param tax per unit
	 */
	constructor(
		private paid: number,
		private readonly fee: number,
		private readonly tax: number,
	) {}

	addPart(location: number, isExcluded: boolean): Part {
		const id = this.parts.length + 1;
		const unsent = { isGrown: false, isSent: false, cash: 0 };
		const part = { id, location, isExcluded, status: 'open' as const, ...unsent };
		this.parts.push(part);
		return part;
	}

	addLine(part: Part, quantity: number, cents: number): void {
		const line = ++this.lines;
		const unit = {
			line,
			cents,
			part,
			isRefunded: false,
			isReturned: false,
			isRestocked: false,
			isSent: false,
		};
		for (let index = 0; index < quantity; index++) this.units.push({ ...unit, state: 'open' });
		part.isGrown ||= part.isSent;
		this.isChanged ||= this.units.some(({ isSent }) => isSent);
	}

	payOnline(quantity: number, cents: number): void {
		this.paid += quantity * (cents + this.tax);
	}

	/** The open fulfillment orders: those that are not closed, whatever holds them. */
	get living(): Part[] {
		return this.parts.filter(({ status }) => status !== 'closed' && status !== 'cancelled');
	}

	openUnits(part?: Part): Unit[] {
		return this.units.filter((unit) => unit.state === 'open' && (!part || unit.part === part));
	}

	moveUnits(units: readonly Unit[], part: Part): void {
		for (const unit of units) unit.part = part;
		part.isGrown ||= part.isSent;
		for (const one of this.living) if (this.openUnits(one).length === 0) one.status = 'closed';
	}

	refund(unit: Unit): void {
		unit.isRefunded = true;
		this.isChanged = true;
		if (this.units.some(({ isSent }) => isSent)) this.refundedSince += unit.cents + this.tax;
	}

	private get total(): number {
		const kept = this.units.filter(({ isRefunded }) => !isRefunded);
		return kept.reduce((sum, { cents }) => sum + cents + this.tax, this.fee);
	}

	/** What the drivers may collect in all. */
	get owed(): number {
		return Math.max(0, this.total - this.paid);
	}

	/** What the customer still owes, as far as the shop has recorded it. */
	private get unpaid(): number {
		return Math.max(0, this.owed - this.recorded);
	}

	order(): Record<string, unknown> {
		const lines = Array.from({ length: this.lines }, (_, index) => {
			const units = this.units.filter(({ line }) => line === index + 1);
			return sampleLine({
				id: index + 1,
				name: String(index + 1),
				quantity: units.length,
				current_quantity: units.filter(({ isRefunded }) => !isRefunded).length,
				fulfillable_quantity: units.filter(({ state }) => state === 'open').length,
				price: ((units[0]?.cents ?? 0) / 100).toFixed(2),
			});
		});
		const entries = (units: readonly Unit[], restock_type: string) => ({
			refund_line_items: units.map(({ line }) => ({
				line_item_id: line,
				quantity: 1,
				restock_type,
			})),
		});
		const refunded = this.units.filter(({ isRefunded }) => isRefunded);
		const restocked = refunded.filter(({ isRestocked }) => isRestocked);
		const returned = refunded.filter(({ isReturned }) => isReturned);
		const others = refunded.filter(({ isRestocked, isReturned }) => !isRestocked && !isReturned);
		const fulfilled = this.units.filter(({ state }) => state === 'fulfilled');
		return sampleOrder({
			...payableInCash,
			financial_status: this.paid + this.recorded > 0 ? 'partially_paid' : 'pending',
			currency: 'MXN',
			current_total_price: (this.total / 100).toFixed(2),
			total_outstanding: (this.unpaid / 100).toFixed(2),
			cancelled_at: this.isCanceled ? '2026-11-22T00:00:00Z' : null,
			line_items: lines,
			refunds: [
				entries(restocked, 'cancel'),
				entries(returned, 'return'),
				entries(others, 'no_restock'),
			],
			fulfillments: [
				{ status: 'success', line_items: fulfilled.map(({ line }) => ({ id: line, quantity: 1 })) },
			],
		});
	}

	fulfillmentOrder(part: Part): Record<string, unknown> {
		const units = this.units.filter((unit) => unit.part === part);
		const lineIds = [...new Set(units.map(({ line }) => line))];
		return samplePart({
			id: 6700000000000 + part.id,
			order_id: sampleOrder().id,
			status: part.status,
			assigned_location: { location_id: part.location, name: `L${part.location}` },
			delivery_method: {
				method_type: 'shipping',
				presented_name: part.isExcluded ? 'Mail' : 'Driver',
			},
			line_items: lineIds.map((id) => {
				const own = units.filter(({ line }) => line === id);
				const left = own.filter(({ state }) => state === 'open').length;
				return { line_item_id: id, quantity: own.length, fulfillable_quantity: left };
			}),
		});
	}

	/** Runs the node on some fulfillment orders, or on the whole order, and checks what it sends. */
	async send(parts: readonly Part[] | 'whole', isGraphql: boolean): Promise<void> {
		const order = this.order();
		const toItem = (part?: Part): unknown => {
			if (!part) return isGraphql ? toGraphqlOrder(order) : order;
			const rest = this.fulfillmentOrder(part);
			return isGraphql
				? { order: toGraphqlOrder(order), fulfillmentOrder: toGraphqlPart(rest) }
				: { order, fulfillmentOrder: rest };
		};
		const sources = parts === 'whole' ? [undefined] : parts;
		const jobs = sources.map((part, item) => jobOf(toItem(part), item));
		await this.time.until(
			sendJobs(jobs, {
				send: async (body) => await new FakeService().send(body),
				rateLimit: new RateLimit(100, 60_000),
				clock: this.time,
				random: () => 0.5,
				sendsOthers: true,
				ledger: new Ledger(memoryStore(this.row, this.time), this.time),
			}),
		);
		for (const [index, job] of jobs.entries()) this.check(job, sources[index]);
		expect(this.cash).toBeLessThanOrEqual(this.owed + this.refundedSince);
	}

	private check(job: Job, part?: Part): void {
		const { outcome, delivery, order } = job;
		const units = this.openUnits(part);
		if (outcome?.kind === 'created') {
			expect(this.isCanceled || this.isSentWhole || part?.isExcluded).toBeFalsy();
			expect(part?.status ?? 'open').toBe('open');
			expect(order?.location?.name).toBe(part && `L${part.location}`);
			const sent = new Map(delivery?.packages.map(({ name, qty }) => [Number(name), qty]));
			const lines = new Set(units.map(({ line }) => line));
			const toShip = part ? units : units.filter(({ isRefunded }) => !isRefunded);
			for (const line of lines) {
				const ofLine = (unit: Unit) => unit.line === line;
				const min = toShip.filter(ofLine).length;
				// A whole order doesn't say whether its fulfilled or its open unit was refunded.
				const isUnclear = this.units.some((unit) => ofLine(unit) && unit.state === 'fulfilled');
				expect(sent.get(line) ?? 0).toBeGreaterThanOrEqual(min);
				expect(sent.get(line) ?? 0).toBeLessThanOrEqual(
					isUnclear ? units.filter(ofLine).length : min,
				);
			}
			for (const unit of toShip) {
				// After a split, Shopify doesn't say which of a line's units was sent: they are interchangeable.
				const isFree = ({ line, isSent, state, part: { isExcluded } }: Unit) =>
					line === unit.line && !isSent && state === 'open' && !isExcluded;
				const own = unit.isSent ? this.units.find(isFree) : unit;
				expect(own).toBeDefined();
				if (own) own.isSent = true;
			}
			const cash = Math.round((delivery?.cod ?? 0) * 100);
			if (part) Object.assign(part, { isSent: true, cash });
			else this.isSentWhole = true;
			this.cash += cash;
			this.isReduced ||= order?.actions?.some(({ code }) => code === 'cashReduced') ?? false;
			return;
		}
		// What stays behind is reported: as skipped for a reason, as an error, or as an action.
		const isLeft = units.some(({ isSent }) => !isSent);
		const isReasoned = outcome?.kind === 'skipped' && outcome.why.code === 'order';
		const isSilent = outcome?.kind === 'skipped' && !isReasoned && neededFor(job) === '';
		if (isLeft && isSilent && !this.isSentWhole) expect(part?.isGrown).toBe(true);
		if (isReasoned && !this.isCanceled && part?.status === 'open' && !part.isExcluded)
			expect(units).toEqual([]);
	}
}

/** The job that Create reads of an item. */
function jobOf(value: unknown, item: number): Job {
	const mapping = mappingOf({
		packagesPer: 'unit',
		filters: { shippingMethods: ['Driver'], ...(hasPart(value) ? {} : { shippingMethods: [] }) },
	});
	const { decision, ...order } = orderToDelivery(value, mapping);
	const { referenceId } = order;
	const job: Job = { item, order, referenceId };
	if (decision.kind === 'invalid') throw new Error(JSON.stringify(decision.problems));
	if (decision.kind === 'skip')
		return { ...job, outcome: { kind: 'skipped', why: { code: 'order', skip: decision.skip } } };
	const pickup = {
		contact: { name: 'Shop', email: 'shop@example.com' },
		location: { address: 'X' },
	};
	const claim = {
		referenceId: referenceId ?? '',
		orderId: order.shopifyOrder?.id,
		part: order.part,
	};
	return { ...job, delivery: deliverySchema.parse({ pickup, ...decision.delivery }), claim };
}

const hasPart = (value: unknown) =>
	typeof value === 'object' && value !== null && 'fulfillmentOrder' in value;

const pick = <Item>(items: readonly Item[], number: number): Item | undefined =>
	items[number % Math.max(1, items.length)];

/** The steps in the life of an order; `a` and `b` choose what they apply to. */
const steps = {
	split(shop: Shop, a: number, b: number) {
		const part = pick(shop.living, a);
		const units = part ? shop.openUnits(part) : [];
		if (!part || units.length < 2) return;
		const some = units.slice(0, 1 + (b % (units.length - 1)));
		const other = shop.addPart(part.location, part.isExcluded);
		other.status = part.status;
		shop.moveUnits(some, other);
	},
	hold(shop: Shop, a: number) {
		const part = pick(shop.living, a);
		if (part) part.status = 'on_hold';
	},
	release(shop: Shop, a: number) {
		const part = pick(shop.living, a);
		if (part) part.status = 'open';
	},
	schedule(shop: Shop, a: number) {
		const part = pick(shop.living, a);
		if (part) part.status = 'scheduled';
	},
	move(shop: Shop, a: number, b: number) {
		const part = pick(shop.living, a);
		if (!part) return;
		const location = 1 + (b % 3);
		// Shopify moves a fulfillment order that has nothing fulfilled as it is, or creates another one.
		if (b % 2 === 0) part.location = location;
		else shop.moveUnits(shop.openUnits(part), shop.addPart(location, part.isExcluded));
	},
	merge(shop: Shop, a: number, b: number) {
		const part = pick(shop.living, a);
		const others = shop.living.filter(
			(one) => one !== part && one.location === part?.location && one.status === part.status,
		);
		const other = pick(others, b);
		if (part && other) shop.moveUnits(shop.openUnits(other), part);
	},
	remove(shop: Shop, a: number, b: number) {
		const unit = pick(
			shop.openUnits().filter(({ isRefunded }) => !isRefunded),
			a,
		);
		if (!unit) return;
		shop.refund(unit);
		unit.state = 'canceled';
		unit.isRestocked = b % 2 === 0;
		shop.moveUnits([], unit.part);
	},
	refundOnly(shop: Shop, a: number) {
		const unit = pick(
			shop.openUnits().filter(({ isRefunded }) => !isRefunded),
			a,
		);
		if (unit) shop.refund(unit);
	},
	addItem(shop: Shop, a: number, b: number) {
		if (shop.isCanceled) return;
		const part = pick(shop.living, a);
		const isOwn = b % 2 === 0 || !part;
		const [quantity, cents] = [1 + (b % 3), 100 + 370 * b];
		shop.addLine(isOwn ? shop.addPart(1 + (a % 3), false) : part, quantity, cents);
		if (a % 2 === 0) shop.payOnline(quantity, cents);
	},
	recordCash(shop: Shop) {
		const delivered = shop.parts.filter((part) => part.isSent && shop.openUnits(part).length === 0);
		shop.recorded = delivered.reduce((sum, { cash }) => sum + cash, 0);
	},
	exchange(shop: Shop, a: number, b: number) {
		const fulfilled = shop.units.filter((unit) => unit.state === 'fulfilled' && !unit.isRefunded);
		const unit = pick(fulfilled, a);
		if (!unit || shop.isCanceled) return;
		shop.refund(unit);
		unit.isReturned = true;
		shop.addLine(shop.addPart(1 + (b % 3), false), 1, unit.cents);
	},
	fulfill(shop: Shop, a: number) {
		const part = pick(shop.living, a);
		if (!part || part.status !== 'open') return;
		const isSent = (unit: Unit) => unit.isSent;
		// The ledger can't tell units that were fulfilled by hand after others were sent.
		if (shop.units.some(isSent) && !shop.openUnits(part).every(isSent)) return;
		for (const unit of shop.openUnits(part)) unit.state = 'fulfilled';
		shop.moveUnits([], part);
	},
	cancel(shop: Shop, a: number) {
		if (a % 4 > 0) return;
		shop.isCanceled = true;
		for (const part of shop.living) part.status = 'cancelled';
	},
	async sendParts(shop: Shop, a: number, b: number) {
		await shop.send(a % 3 === 0 ? shop.parts : shop.living.slice(0, 1 + b), a % 2 === 0);
	},
	async sendWhole(shop: Shop, a: number) {
		await shop.send('whole', a % 2 === 0);
	},
} satisfies Record<string, (shop: Shop, a: number, b: number) => unknown>;

const kinds = Object.keys(steps).filter((kind): kind is keyof typeof steps => kind in steps);

const history = fc.record({
	paid: fc.constantFrom(0, 0, 0, 1, 999, 4000),
	fee: fc.constantFrom(0, 499, 1000),
	tax: fc.constantFrom(0, 0, 133),
	lines: fc.array(
		fc.record({
			quantity: fc.integer({ min: 1, max: 4 }),
			cents: fc.integer({ min: 0, max: 5000 }),
			part: fc.nat(2),
		}),
		{ minLength: 1, maxLength: 4 },
	),
	isWhole: fc.boolean(),
	steps: fc.array(
		fc.record({
			kind: fc.oneof(
				{ arbitrary: fc.constantFrom(...kinds), weight: 3 },
				{ arbitrary: fc.constant('sendParts' as const), weight: 1 },
			),
			a: fc.nat(11),
			b: fc.nat(11),
		}),
		{ maxLength: 14 },
	),
});

test('each unit of an order is sent once, whatever happens to it in Shopify', async () => {
	const counts = { created: 0, collected: 0, reduced: 0 };
	await fc.assert(
		fc.asyncProperty(history, async ({ paid, fee, tax, lines, isWhole, steps: all }) => {
			const shop = new Shop(paid, fee, tax);
			// A whole order has no part that the filters exclude.
			const parts = [0, 1, 2].map((number) => shop.addPart(number + 1, number === 2 && !isWhole));
			for (const { quantity, cents, part } of lines)
				shop.addLine(parts[part] ?? parts[0]!, quantity, cents);
			shop.moveUnits([], parts[0]!);
			for (const { kind, a, b } of all) {
				const isOther = kind === (isWhole ? 'sendParts' : 'sendWhole') && b > 2;
				await steps[isOther ? (isWhole ? 'sendWhole' : 'sendParts') : kind](shop, a, b);
			}
			// At last, nothing holds the order: what is neither sent nor reported was lost.
			for (const part of shop.living) part.status = 'open';
			await shop.send(isWhole ? 'whole' : shop.living, false);
			counts.created += shop.units.filter(({ isSent }) => isSent).length;
			if (isWhole || shop.isChanged || shop.units.some(({ isSent }) => !isSent)) return;
			if (shop.isReduced) counts.reduced++;
			else {
				// Where the units of the first item are split, each part of the fees is rounded down.
				expect(shop.cash).toBeGreaterThanOrEqual(shop.owed - shop.parts.length);
				counts.collected++;
			}
		}),
		{ numRuns: count },
	);
	expect(counts.created).toBeGreaterThan(count);
	expect(counts.collected).toBeGreaterThan(count / 20);
	expect(counts.reduced).toBeGreaterThan(0);
});
