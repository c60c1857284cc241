import type { INodeProperties } from 'n8n-workflow';
import type { z } from 'zod/v4';

import type { ParameterReader } from '../../common/parameters';
import type { Problem } from '../../common/result';
import type { Delivery } from '../../service/schemas';
import type { Skip } from '../../shopify/skipping';
import type { OrderFacts } from '../../shopify/toDelivery';

/** What a source reads from an item: a delivery that is not checked yet, or why there is none. */
export type SourceResult = OrderFacts & {
	/** The name of the location that ships the order, if Pickup by Location is empty. */
	unlistedLocation?: string;
} & (
		| { kind: 'delivery'; delivery: unknown }
		| ({ kind: 'skipped'; label: string } & Skip)
		| { kind: 'invalid'; problem: Problem }
	);

/** What deliveries are created from: its fields, and how it reads an item. */
export interface Source {
	fields: INodeProperties[];
	/** The rules for what it reads; by default those of the fields in the editor. */
	schema?: z.ZodType<Delivery>;
	/** Reads an item, without checking the rules of the service. */
	read(parameters: ParameterReader, item: number): SourceResult;
	/** Rephrases a violated rule of the service in terms of what the user entered. */
	rephrase?(problem: Problem, referenceId: string | undefined): Problem;
}
