import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { OrderFacts, ShopifyOrder } from '../../../shopify/toDelivery';
import type { Problem } from '../../../common/result';
import type { ParameterReader } from '../../../common/parameterReader';

/** What an input item turned out to be, before the rules of the service are checked. */
export type Reading =
	| ({ kind: 'delivery'; delivery: unknown } & Partial<OrderFacts>)
	| ({ kind: 'skipped'; reason: string; message: string } & Names)
	| ({ kind: 'invalid'; problem: Problem } & Names);

/** By what a person, or a later node, recognises the input item. */
export interface Names {
	referenceId?: string;
	/** The order that it is, when it is one of Shopify's. */
	shopifyOrder?: ShopifyOrder;
}

/** A way to give deliveries: what the picker shows, its fields, and how an item is read. */
export interface Source {
	option: INodePropertyOptions & { value: string };
	/** Whether what was sent already is skipped unless the user says otherwise. */
	skipsAlreadySent: boolean;
	fields: INodeProperties[];
	read(parameters: ParameterReader, item: number): Reading;
	/** What a broken rule of the service means for what the user gave: its name, where to mend it. */
	inItsWords?(problem: Problem, referenceId: string | undefined): Problem;
}
