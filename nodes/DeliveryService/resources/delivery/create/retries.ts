import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Report } from '../../../sending/creations';
import type { Outcome } from '../../../sending/outcomes';

/**
 * n8n's retries ("Retry On Fail" within an execution, or the retry of a failed execution) run the
 * whole node again, including items whose deliveries were created.
 *
 * @throws NodeOperationError when a retry could create deliveries twice
 */
export function assertRetryIsSafe(
	context: IExecuteFunctions,
	skipsAlreadySent: boolean,
	isDryRun: boolean,
): void {
	if (skipsAlreadySent) return;
	const node = context.getNode();
	// Also in a dry run, because the setting outlasts it.
	if (node.retryOnFail) throw unsafeRetryError(node, retryOnFailProblem);
	if (context.getMode() === 'retry' && !isDryRun)
		throw unsafeRetryError(node, retriedExecutionProblem);
}

function unsafeRetryError(
	node: INode,
	{ message, description }: typeof retryOnFailProblem,
): NodeOperationError {
	return new NodeOperationError(node, message, { description });
}

const retryOnFailProblem = {
	message: 'Turn on "Skip Already Sent" to use "Retry On Fail"',
	description:
		'Without it, a retry could create deliveries twice. Turn it on in the parameters of this node, or turn off "Retry On Fail" in its settings. Nothing was sent.',
};

const retriedExecutionProblem = {
	message: 'Without "Skip Already Sent", retrying this execution could create deliveries twice',
	description: `If the first execution failed before this node, turn on "Skip Already Sent", save the workflow, and choose Retry with currently saved workflow. If it failed in this node, run the workflow again without the created and possibly created deliveries: its error lists them, or n8n's log if it was stopped. This retry sent nothing.`,
};

/**
 * The reports of a node's attempts so far, by the first input item: n8n passes the same objects to
 * every attempt of a run, and to no other run.
 */
const reportsByInput = new WeakMap<object, Report>();

/**
 * The report of this attempt, merged with those of earlier attempts. n8n's "Retry On Fail" runs the
 * whole node again and discards the output of the previous attempt; without the merge, deliveries
 * that it created would be reported as skipped, without their IDs.
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
	const earlier = new Map(
		previous.results.map(({ creation, outcome }) => [creation.item, outcome]),
	);
	return {
		results: latest.results.map(({ creation, outcome }) => ({
			creation,
			outcome: mergeOutcomes(earlier.get(creation.item), outcome),
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
 * A created delivery stays created. An unknown one is not sent again, and only the attempt that sent
 * it knows why its outcome is unknown.
 */
function mergeOutcomes(earlier: Outcome | undefined, latest: Outcome): Outcome {
	const keepsEarlier =
		earlier?.kind === 'created' ||
		(earlier?.kind === 'unknown' && (latest.kind === 'notSent' || latest.kind === 'unknown'));
	return keepsEarlier ? earlier : latest;
}
