/** The sentences about deliveries that may be sent again. */
import type { ResendState } from '../ledger/resending';

/** What happens after everything was freed. */
export const allFreed = 'Every delivery of this workflow may be sent again if it comes in again.';

/** Whether a reference may be sent again, and what follows from that. */
export function resendMessage(referenceId: string, state: ResendState): string {
	switch (state) {
		case 'freed':
			return `${referenceId} is sent when it comes in again, from any shop in this workflow. For a whole order, its fulfillment orders are too.`;
		case 'orderSent':
			return `${referenceId} is not allowed, because its whole order was sent or may have been sent. If the Delivery Service has no delivery of the order, use Allow Resending with the reference ID of the order.`;
		case 'notRemembered':
			return "This workflow doesn't remember this reference ID. Check the spelling (including a leading #) and the option Child Company ID.";
	}
}
