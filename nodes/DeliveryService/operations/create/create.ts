import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Job } from '../../sending/job';
import { realClock } from '../../common/clock';
import { logWarning } from '../../common/log';
import { parameterReader, type ParameterReader } from '../../common/parameters';
import { Ledger } from '../../ledger/ledger';
import { openWorkflowStore } from '../../ledger/store';
import { storeProblem } from '../../messages/outcomes';
import { failureSummary, listOutcomes, runHints } from '../../messages/summary';
import { rateLimitFor, unreachableRetryInEditorMs } from '../../sending/request';
import { lookUpJobs, nothingSent, sendJobs, type SendingOptions } from '../../sending/send';
import { openClient, creationRequest } from '../../service/client';
import { operationError, unwrap } from '../../common/result';
import { readFixedOverrides } from '../fields/fixedOverrides';
import { assertNoRetryOnFail, hasErrorOutput, itemError, mapItems, withErrorItems } from '../items';
import { dryRunHint, toDryRunItems } from './dryRun';
import { hintsOf, orderHints } from './hints';
import { readRunOptions, readSkipAlreadySent, type RunOptions } from './options';
import { toOutputItem, toOutputItems } from './output';
import { assertValid, checkLocations, readItem, type Source } from './readItem';

/** A run of Create: what its settings say. */
interface CreateRun {
	source: Source;
	options: RunOptions;
	/** Whether the workflow remembers what it sent. */
	isRemembered: boolean;
	continueOnFail: boolean;
	/**
	 * Whether a failed item doesn't keep the others from being sent. Without the memory, running the
	 * workflow again would send those twice.
	 */
	sendsOthers: boolean;
	/** Whether n8n moves failed items to an output of their own. */
	toErrorOutput: boolean;
}

/**
 * Creates one delivery per input item, in as few requests as are safe (API document, section 4.1).
 *
 * @param selectSource returns what the deliveries are created from
 * @returns an output item for each input item
 * @throws NodeOperationError when a delivery fails, unless On Error is Continue
 */
export async function createDeliveries(
	context: IExecuteFunctions,
	selectSource: (parameters: ParameterReader) => Source,
): Promise<INodeExecutionData[]> {
	const toErrorOutput = hasErrorOutput(context);
	let jobs: Job[] = [];
	return await withErrorItems(
		context,
		async () => {
			const parameters = parameterReader(context);
			const run = openRun(context, parameters, selectSource(parameters));
			jobs = await mapItems(context, (item) =>
				readItem(parameters, run.source, item, run.isRemembered),
			);
			checkLocations(jobs);
			const isNothingToSend = jobs.every(({ outcome }) => outcome !== undefined);
			if (!run.continueOnFail && (isNothingToSend || !run.sendsOthers))
				assertValid(context.getNode(), jobs);
			return run.options.dryRun
				? await preview(context, run, jobs)
				: await send(context, run, jobs);
		},
		(problem, item) => {
			// After an unexpected error, what was sent keeps its outcome.
			const { outcome = { kind: 'notSent', why: { code: 'notStarted', problem } }, ...job } = jobs[
				item
			] ?? { item };
			return toOutputItem({ ...job, item, outcome }, toErrorOutput);
		},
	);
}

/** @throws NodeOperationError when a setting is invalid, or would send deliveries twice */
function openRun(
	context: IExecuteFunctions,
	parameters: ParameterReader,
	source: Source,
): CreateRun {
	const node = context.getNode();
	const options = unwrap(node, readRunOptions(parameters));
	const isRemembered = unwrap(node, readSkipAlreadySent(parameters));
	assertNoRetryOnFail(context);
	if (!isRemembered && !options.dryRun && context.getMode() === 'retry')
		throw operationError(node, unsafeRetryProblem);
	const continueOnFail = context.continueOnFail();
	const isIndependent = source.isIndependent === true && isRemembered && !options.dryRun;
	return {
		source,
		options,
		isRemembered,
		continueOnFail,
		sendsOthers: continueOnFail || isIndependent,
		toErrorOutput: hasErrorOutput(context),
	};
}

/** n8n's retry of a failed execution runs the node again, also for deliveries that were created. */
const unsafeRetryProblem = {
	message: 'Without "Skip Already Sent", retrying this execution could create deliveries twice',
	description: `If the first execution failed before this node, turn on "Skip Already Sent", save the workflow, and choose Retry with currently saved workflow. If it failed in this node, run the workflow again without the created and possibly created deliveries: its error lists them, or n8n's log if it was stopped. This retry sent nothing.`,
};

async function send(
	context: IExecuteFunctions,
	run: CreateRun,
	jobs: readonly Job[],
): Promise<INodeExecutionData[]> {
	const { isRemembered, continueOnFail, toErrorOutput } = run;
	const isEmpty = jobs.every(({ delivery }) => delivery === undefined);
	const report = isEmpty ? nothingSent : await sendJobs(jobs, await openSending(context, run));
	if (context.getExecutionCancelSignal()?.aborted) logOutcomes(context, jobs);
	const failure = continueOnFail ? undefined : failureSummary(jobs, isRemembered);
	if (failure) {
		const error = itemError(context.getNode(), failure.problem, failure.item);
		error.context.data = failure.lists;
		throw error;
	}
	const created = jobs.filter(({ outcome }) => outcome?.kind === 'created');
	context.addExecutionHints(
		...hintsOf(runHints(jobs, report)),
		...orderHints(created, readFixedOverrides(context)),
	);
	return toOutputItems(jobs, isRemembered, toErrorOutput);
}

/** What a run would send, without sending it. */
async function preview(
	context: IExecuteFunctions,
	{ isRemembered, toErrorOutput }: CreateRun,
	jobs: readonly Job[],
): Promise<INodeExecutionData[]> {
	// Checks the credential as a run does.
	await openClient(context);
	try {
		await lookUpJobs(jobs, isRemembered ? openLedger(context) : undefined);
	} catch (error) {
		throw operationError(context.getNode(), storeProblem(error));
	}
	const toSend = jobs.filter(({ outcome }) => outcome === undefined);
	context.addExecutionHints(dryRunHint(jobs), ...orderHints(toSend, readFixedOverrides(context)));
	return toDryRunItems(jobs, toErrorOutput);
}

function openLedger(context: IExecuteFunctions): Ledger {
	return new Ledger(openWorkflowStore(context), realClock);
}

/** @throws NodeOperationError when the credential is incomplete */
async function openSending(
	context: IExecuteFunctions,
	{ options, isRemembered, sendsOthers }: CreateRun,
): Promise<SendingOptions> {
	const client = await openClient(context);
	const { baseUrl, apiKeyId } = client.credential;
	const timeoutMs = options.timeoutSeconds * 1000;
	return {
		send: async (body) => await client.send({ ...creationRequest(body), timeoutMs }),
		rateLimit: rateLimitFor(baseUrl, apiKeyId),
		clock: realClock,
		random: Math.random,
		signal: context.getExecutionCancelSignal(),
		batchSize: options.batchSize,
		maxRetryMs: options.maxRetrySeconds * 1000,
		...(context.getMode() === 'manual' && { maxUnreachableMs: unreachableRetryInEditorMs }),
		continueOnFail: sendsOthers,
		ledger: isRemembered ? openLedger(context) : undefined,
	};
}

/**
 * Logs the outcomes of a run that a user or a timeout stopped: n8n saves the execution at that
 * moment and may discard what the node returns or throws afterwards.
 */
function logOutcomes(context: IExecuteFunctions, jobs: readonly Job[]): void {
	const summary = listOutcomes(jobs);
	if (summary) logWarning(context, `execution ${context.getExecutionId()} was stopped. ${summary}`);
}
