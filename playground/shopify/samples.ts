import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { orderShape, type Order } from './shapes';

/** The sample orders, as Shopify's REST Admin API returns them. They are new: old ones are not sent. */
export const samples: readonly Order[] = z
	.array(orderShape)
	.parse(JSON.parse(readFileSync(join(__dirname, 'orders.json'), 'utf8')))
	.map((order) => ({ ...order, created_at: new Date().toISOString() }));
