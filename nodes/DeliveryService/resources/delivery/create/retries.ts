import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Report } from '../../../sending/creations';
import type { Outcome } from '../../../sending/outcomes';

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
	if (node.retryOnFail) throw couldCreateTwice(node, retryOnFailProblem);
	if (context.getMode() === 'retry' && !isDryRun)
		throw couldCreateTwice(node, retriedExecutionProblem);
}

function couldCreateTwice(
	node: INode,
	{ message, description }: typeof retryOnFailProblem,
): NodeOperationError {
	return new NodeOperationError(node, message, { description });
}

const retryOnFailProblem = {
	message: 'With "Retry On Fail" this node could create deliveries twice',
	description:
		'Turn on "Skip Already Sent" among the parameters, or turn off "Retry On Fail" in the settings of the node. Nothing was sent.',
};

const retriedExecutionProblem = {
	message:
		'This execution is a retry, and without "Skip Already Sent" it could create deliveries twice',
	description: `Look at the execution that failed first. If it did not come to this node, turn on "Skip Already Sent" here, save the workflow, and choose Retry with currently saved workflow. If it failed in this node, its error lists what was created, or n8n's log when it was stopped: run the workflow anew with the others only. This retry has sent nothing.`,
};

/**
 * What the attempts of a node did so far, by the first of their input items: n8n gives the same
 * objects to every attempt and to no other run.
 */
const reportsByInput = new WeakMap<object, Report>();

/**
 * What this attempt and those before it did. n8n's "Retry On Fail" runs the whole node again and
 * drops what the attempt before gave; without this, what that created would come out as skipped,
 * without its ID.
 */
export function withPreviousAttempts(context: IExecuteFunctions, latest: Report): Report {
	const [key] = context.getInputData();
	if (!key || !context.getNode().retryOnFail) return latest;
	const previous = reportsByInput.get(key);
	const report = previous ? mergeReports(previous, latest) : latest;
	reportsByInput.set(key, report);
	return report;
}

function mergeReports(previous: Report, latest: Report): Report {
	const before = new Map(previous.results.map(({ creation, outcome }) => [creation.item, outcome]));
	return {
		results: latest.results.map(({ creation, outcome }) => ({
			creation,
			outcome: laterOutcome(before.get(creation.item), outcome),
		})),
		requests: previous.requests + latest.requests,
		waited: {
			forLimitMs: previous.waited.forLimitMs + latest.waited.forLimitMs,
			forServiceMs: previous.waited.forServiceMs + latest.waited.forServiceMs,
		},
		ledgerFailed: previous.ledgerFailed || latest.ledgerFailed,
	};
}

/**
 * What was created stays created. What may have been is not sent again, and only the attempt that sent
 * it knows why it is unknown.
 */
function laterOutcome(before: Outcome | undefined, latest: Outcome): Outcome {
	const holds =
		before?.kind === 'created' ||
		(before?.kind === 'unknown' && (latest.kind === 'notSent' || latest.kind === 'unknown'));
	return holds ? before : latest;
}
