/** From an item with a Shopify order to its delivery, or why there is none. */
import { isLongerThan } from '../common/text';
import { limits, type Delivery } from '../service/schemas';
import { decide, type Decision } from './decide';
import { readFacts, type OrderFacts } from './facts';
import { findOrder } from './item';
import type { OrderMapping } from './mapping';
import { identifiersOf, type Order } from './order';
import { identityOf, infoOf, type OrderInfo } from './orderInfo';
import { toPackages } from './packages';
import type { OrderProblem } from './problems';
import { referencesOf } from './references';
import type { Skip } from './skipping';
import type { LineUnits } from './units';

/** An order, and whether it is sent. */
export interface MappedOrder extends OrderInfo {
	decision:
		| { kind: 'send'; delivery: OrderDelivery }
		| { kind: 'skip'; skip: Skip }
		| { kind: 'invalid'; problems: readonly OrderProblem[] };
}

/** A delivery without its pickup (docs/api.md, section 2.1). Undefined fields count as not set. */
export type OrderDelivery = Omit<Delivery, 'pickup'>;

/**
 * Maps a Shopify order to a delivery (docs/api.md, sections 2.1 to 2.5). Never throws.
 *
 * @param value an item with an order of Shopify's REST or GraphQL API, see {@link findOrder}
 * @param mapping how to map it, see {@link OrderMapping}
 */
export function orderToDelivery(value: unknown, mapping: OrderMapping): MappedOrder {
	const found = findOrder(value);
	if (!found.ok) return { decision: { kind: 'invalid', problems: [found.problem] } };
	const facts = readFacts(found.value, mapping);
	if (!facts.ok) {
		const names = identifiersOf(found.value);
		const decision = { kind: 'invalid', problems: facts.problem } as const;
		return { ...identityOf(names, referencesOf(names, mapping)), decision };
	}
	const decision = decide(facts.value, mapping);
	const info = infoOf(facts.value, decision, mapping);
	if (decision.kind !== 'send') return { ...info, decision };
	const delivery = toDelivery(facts.value, decision, mapping);
	return { ...info, decision: { kind: 'send', delivery } };
}

function toDelivery(
	{ order, references: { referenceId }, lines }: OrderFacts,
	{ dropoff, cash }: Extract<Decision, { kind: 'send' }>,
	mapping: OrderMapping,
): OrderDelivery {
	return {
		dropoff,
		packages: toPackages(order, lines, mapping),
		referenceId,
		tags: orderTags(order, mapping),
		extraData: orderExtraData(order, lines, mapping),
		cod: cash.amount,
	};
}

/** The order's tags without duplicates. A tag that is too long is left out: truncated, it is another tag. */
function orderTags(order: Order, mapping: OrderMapping): string[] | undefined {
	if (mapping.overrides.tags.length > 0) return mapping.overrides.tags;
	if (!mapping.includeTags) return undefined;
	const tags = [...new Set(order.tags)].filter((tag) => !isLongerThan(tag, limits.tagLength));
	return undefinedIfEmpty(tags);
}

/** The order's additional details and the shipped items' properties, without internal ones ("_..."). */
function orderExtraData(
	order: Order,
	lines: readonly LineUnits[],
	mapping: OrderMapping,
): OrderDelivery['extraData'] {
	if (!mapping.includeAdditionalDetails) return undefined;
	const isPublic = ({ name }: { name: string }) => !name.startsWith('_');
	const properties = lines.flatMap(({ line, name: product }) =>
		line.properties
			.filter(isPublic)
			.map(({ name, value }) => ({ name: `${product}: ${name}`, value })),
	);
	return undefinedIfEmpty([...order.note_attributes.filter(isPublic), ...properties]);
}

function undefinedIfEmpty<Item>(items: Item[]): Item[] | undefined {
	return items.length > 0 ? items : undefined;
}
