import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { ParameterReader } from '../../../common/parameters';
import type { Problem } from '../../../common/result';
import type { OrderResult } from '../../../shopify/toDelivery';

/** A way to specify deliveries: the choice in the picker, its fields, and how an item is read. */
export interface Source {
	option: INodePropertyOptions & { value: string };
	/** Whether deliveries that were sent already are skipped by default. */
	skipsAlreadySent: boolean;
	fields: INodeProperties[];
	/** Reads an item; the rules of the service are checked later. */
	read(parameters: ParameterReader, item: number): OrderResult<unknown>;
	/** A broken rule of the service in terms of what the user entered. */
	rephrase?(problem: Problem, referenceId: string | undefined): Problem;
}
