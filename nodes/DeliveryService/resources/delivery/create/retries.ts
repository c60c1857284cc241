import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/**
 * n8n's retries run the whole node again, also for the items that were created: "Retry On Fail" within
 * an execution, and the retry of an execution that failed.
 *
 * @throws NodeOperationError when nothing would keep a retry from creating them twice
 */
export function assertRetryIsSafe(
	context: IExecuteFunctions,
	skipsAlreadySent: boolean,
	isDryRun: boolean,
): void {
	if (skipsAlreadySent) return;
	const node = context.getNode();
	// Also in a dry run: the setting would still be there when it is over.
	if (node.retryOnFail) throw twice(node, retryOnFail);
	if (context.getMode() === 'retry' && !isDryRun) throw twice(node, retriedExecution);
}

function twice(node: INode, { message, description }: typeof retryOnFail): NodeOperationError {
	return new NodeOperationError(node, message, { description });
}

const retryOnFail = {
	message: 'With "Retry On Fail" this node could create deliveries twice',
	description:
		'Turn on "Skip Already Sent" among the parameters, or turn off "Retry On Fail" in the settings of the node. Nothing was sent.',
};

const retriedExecution = {
	message:
		'This execution is a retry, and without "Skip Already Sent" it could create deliveries twice',
	description: `Look at the execution that failed first. If it did not come to this node, turn on "Skip Already Sent" here, save the workflow, and choose Retry with currently saved workflow. If it failed in this node, its error lists what was created, or n8n's log when it was stopped: run the workflow anew with the others only. This retry has sent nothing.`,
};
