import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/**
 * n8n's "Retry On Fail" runs the whole node again, also for the items that were created.
 *
 * @throws NodeOperationError when nothing would keep a retry from creating them twice
 */
export function assertRetryIsSafe(context: IExecuteFunctions, skipsAlreadySent: boolean): void {
	if (skipsAlreadySent || !context.getNode().retryOnFail) return;
	throw new NodeOperationError(
		context.getNode(),
		'With "Retry On Fail" this node could create deliveries twice',
		{
			description:
				'Turn on "Skip Already Sent" among the parameters, or turn off "Retry On Fail" in the settings of the node. Nothing was sent.',
		},
	);
}
