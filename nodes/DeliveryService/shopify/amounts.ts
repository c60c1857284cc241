import { z } from 'zod/v4';

import { optionalAmount } from './readers';

/** An amount in the shop's currency, and the same in the customer's. */
export const amounts = z
	.object({
		shop_money: z.object({ amount: optionalAmount }),
		presentment_money: z.object({ amount: optionalAmount }),
	})
	.nullish()
	.catch(undefined)
	.transform((value) => {
		const shop = value?.shop_money.amount;
		const presentment = value?.presentment_money.amount;
		return shop && presentment && { shop, presentment };
	});
