import type { INodeProperties } from 'n8n-workflow';
import type { z } from 'zod/v4';

import type { ParameterReader } from '../../common/parameters';
import type { ItemResult, Problem } from '../../common/result';
import type { Delivery } from '../../service/schemas';
import type { OrderFacts } from '../../shopify/toDelivery';
import type { UnlistedLocation } from './pickupByLocation';

/** What a source reads from an item. */
export type SourceResult<Body> = ItemResult<Body> &
	OrderFacts & {
		/** The location that ships the order, if it has no pickup of its own. */
		unlistedLocation?: UnlistedLocation;
	};

/** What deliveries are created from: its fields, and how it reads an item. */
export interface Source {
	fields: INodeProperties[];
	/** The rules for what it reads; by default those of the fields in the editor. */
	schema?: z.ZodType<Delivery>;
	/** Reads an item, without checking the rules of the service. */
	read(parameters: ParameterReader, item: number): SourceResult<unknown>;
	/** Rephrases a violated rule of the service in terms of what the user entered. */
	rephrase?(problem: Problem, referenceId: string | undefined): Problem;
}
