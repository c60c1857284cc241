/** A run that creates deliveries: reads its items, then sends them, or shows what it would send. */
import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { realClock } from '../../common/clock';
import { logWarning } from '../../common/log';
import { parameterReader, type ParameterReader } from '../../common/parameters';
import { operationError, unwrap } from '../../common/result';
import { openLedger, type Ledger } from '../../ledger/ledger';
import { storeProblem } from '../../messages/failures';
import { invalidItems, settingsProblems } from '../../messages/settings';
import { failureSummary, listOutcomes, runHints } from '../../messages/summary';
import { claimReports, recordReports } from '../../sending/changes';
import { isFirstNamed, lookUpJobs, lookUpUnsent, rememberMet } from '../../sending/claim';
import {
	isRemembered,
	isSettled,
	type Job,
	type NotSentReason,
	type SettledJob,
} from '../../sending/job';
import { rateLimitFor } from '../../sending/rateLimit';
import { sendJobs, type SendingOptions } from '../../sending/send';
import { creationRequest, openClient } from '../../service/client';
import {
	assertNoRetryOnFail,
	hasErrorOutput,
	itemError,
	mapItems,
	ownCompany,
	withErrorItems,
} from '../items';
import { isPreview, preview } from './dryRun';
import { readRunOptions, readSkipAlreadySent } from './options';
import { hintsOf, toOutputItems } from './output';
import { readItem, type RunSettings, type Source } from './readItem';
import { updateChanged } from './updateChanged';

/** A run of Create. */
interface CreateRun extends RunSettings {
	context: IExecuteFunctions;
	parameters: ParameterReader;
	/**
	 * Whether a failed item doesn't keep the others from being sent. Without the memory, running the
	 * workflow again would send those twice.
	 */
	sendsOthers: boolean;
}

/**
 * Creates one delivery per input item, in as few requests as are safe (docs/api.md, section 4.1).
 *
 * @param selectSource returns what the deliveries are created from
 * @returns an output item for each input item
 * @throws NodeOperationError when a delivery fails, unless On Error is Continue
 */
export async function createDeliveries(
	context: IExecuteFunctions,
	selectSource: (parameters: ParameterReader) => Source,
): Promise<INodeExecutionData[]> {
	let jobs: Job[] = [];
	return await withErrorItems(
		context,
		async () => {
			const parameters = parameterReader(context);
			const run = openRun(context, parameters, selectSource(parameters));
			jobs = await mapItems(context, (item) => readItem(parameters, run, item));
			jobs = await withOwnClaims(context, jobs);
			if (!run.sendsOthers) assertValid(context.getNode(), jobs);
			if (run.ledger) await lookUpUnsent(jobs, run.ledger);
			if (run.options.dryRun) {
				await lookUp(run, jobs);
				if (isPreview(context)) return preview(context, jobs, run.options.simplify);
				return showOutcomes(run, settle(jobs, { code: 'dryRun' }), { isRecorded: true });
			}
			return await send(run, jobs);
		},
		(problem) => {
			// After an unexpected error, what was sent keeps its outcome.
			const failed = context.getInputData().map((_, item) => jobs[item] ?? { item });
			const toErrorOutput = hasErrorOutput(context);
			const settled = settle(failed, { code: 'notStarted', problem });
			return toOutputItems(settled, { toErrorOutput, isSimple: true });
		},
	);
}

/** Returns the jobs. If a child company is the credential's own company, the claim is the same as without one. */
async function withOwnClaims(context: IExecuteFunctions, jobs: readonly Job[]): Promise<Job[]> {
	const hasChildren = jobs.some(({ claim }) => claim?.companyId !== undefined);
	const own = hasChildren ? await ownCompany(context) : undefined;
	return jobs.map((job) => {
		const { claim } = job;
		const isOwn = claim?.companyId !== undefined && claim.companyId === own;
		return isOwn ? { ...job, claim: { ...claim, companyId: undefined } } : job;
	});
}

/** @throws NodeOperationError when a setting is invalid, or would send deliveries twice */
function openRun(
	context: IExecuteFunctions,
	parameters: ParameterReader,
	source: Source,
): CreateRun {
	const node = context.getNode();
	const options = unwrap(node, readRunOptions(parameters));
	const skipsAlreadySent = unwrap(node, readSkipAlreadySent(parameters));
	assertNoRetryOnFail(context);
	if (source.isIndependent && node.executeOnce)
		throw operationError(node, settingsProblems.executeOnce);
	// n8n's retry of a failed execution runs the node again, also for deliveries that were created.
	if (!skipsAlreadySent && !options.dryRun && context.getMode() === 'retry')
		throw operationError(node, settingsProblems.unsafeRetry);
	const sendsOthers =
		context.continueOnFail() || (source.isIndependent === true && skipsAlreadySent);
	const ledger = skipsAlreadySent ? openLedger(context, { isDryRun: options.dryRun }) : undefined;
	const items = context.getInputData(0, 'main');
	return { context, parameters, items, source, options, ledger, sendsOthers };
}

async function send(run: CreateRun, jobs: readonly Job[]): Promise<INodeExecutionData[]> {
	const isRecorded = await sendOrRemember(run, jobs);
	await reportChanges(run, jobs);
	const settled = settle(jobs, { code: 'stopped' });
	return showOutcomes(run, settled, { isRecorded });
}

/** The jobs at the end of a run: those without an outcome were not sent. */
function settle(jobs: readonly Job[], why: NotSentReason): SettledJob[] {
	return jobs.map((job) => ({ ...job, outcome: job.outcome ?? { kind: 'notSent', why } }));
}

/** @throws NodeOperationError when a delivery failed, unless On Error is Continue */
function showOutcomes(
	{ context, options }: CreateRun,
	jobs: readonly SettledJob[],
	{ isRecorded }: { isRecorded: boolean },
): INodeExecutionData[] {
	if (context.getExecutionCancelSignal()?.aborted) logOutcomes(context, jobs);
	const failure = context.continueOnFail() ? undefined : failureSummary(jobs);
	if (failure) {
		const error = itemError(context.getNode(), failure.problem, failure.item);
		error.context.data = failure.lists;
		throw error;
	}
	context.addExecutionHints(...hintsOf(runHints(jobs, { isRecorded })));
	const toErrorOutput = hasErrorOutput(context);
	return toOutputItems(jobs, { toErrorOutput, isSimple: options.simplify });
}

/**
 * Claims the changes of sent orders, and updates their deliveries if the user wants that. Then records
 * what is told only once. If the ledger fails, a later run tells it again.
 */
async function reportChanges(
	{ context, parameters, ledger, options }: CreateRun,
	jobs: readonly Job[],
): Promise<void> {
	if (!ledger) return;
	const isUpdating = options.whenChanged === 'update' && jobs.some(({ change }) => change);
	const client = isUpdating ? await openClient(context) : undefined;
	const signal = context.getExecutionCancelSignal();
	try {
		const remembered = jobs.filter(isRemembered);
		const reported = await claimReports(remembered, ledger, realClock, signal);
		if (client) await updateChanged(context, client, parameters, reported);
		// What a stopped run says may reach nobody.
		const named = signal?.aborted ? [] : remembered.filter(isFirstNamed);
		await recordReports(reported, named, ledger);
	} catch {
		// Told twice is better than never.
	} finally {
		ledger.end();
	}
}

/**
 * Sends what is to be sent, and remembers what was met.
 *
 * @returns whether all of that is recorded: if not, the next run reports the rest as unknown
 */
async function sendOrRemember(run: CreateRun, jobs: readonly Job[]): Promise<boolean> {
	if (jobs.some(({ delivery }) => delivery)) return await sendJobs(jobs, await openSending(run));
	await withLedger(run, async (ledger) => {
		rememberMet(jobs, ledger);
		await ledger.flush();
	});
	return true;
}

/** Finds out what a run would send. Checks the credential as a run does. */
async function lookUp(run: CreateRun, jobs: readonly Job[]): Promise<void> {
	await openClient(run.context);
	await withLedger(run, async (ledger) => await lookUpJobs(jobs, ledger));
}

/** @throws NodeOperationError when the credential is incomplete */
async function openSending({
	context,
	options,
	ledger,
	sendsOthers,
}: CreateRun): Promise<SendingOptions> {
	const client = await openClient(context);
	const { baseUrl, apiKeyId } = client.credential;
	return {
		send: async (body) => await client.send(creationRequest(body)),
		rateLimit: rateLimitFor(baseUrl, apiKeyId),
		clock: realClock,
		random: Math.random,
		signal: context.getExecutionCancelSignal(),
		batchSize: options.batchSize,
		isInEditor: context.getMode() === 'manual',
		sendsOthers,
		ledger,
	};
}

/**
 * Uses the ledger, if there is one, before anything is sent.
 *
 * @throws NodeOperationError when n8n's database fails
 */
async function withLedger(
	{ context, ledger }: CreateRun,
	work: (ledger: Ledger) => Promise<void>,
): Promise<void> {
	try {
		if (ledger) await work(ledger);
	} catch (error) {
		throw operationError(context.getNode(), storeProblem(error));
	}
}

/**
 * Logs the outcomes of a run that a user or a timeout stopped: n8n saves the execution at that
 * moment and may discard what the node returns or throws afterwards.
 */
function logOutcomes(context: IExecuteFunctions, jobs: readonly SettledJob[]): void {
	const summary = listOutcomes(jobs);
	if (summary) logWarning(context, `execution ${context.getExecutionId()} was stopped. ${summary}`);
}

/** @throws NodeOperationError for the first invalid item, so that nothing is sent */
function assertValid(node: INode, jobs: readonly Job[]): void {
	const settled = jobs.filter(isSettled);
	const [first, ...others] = settled.filter(({ outcome }) => outcome.kind === 'invalid');
	if (first?.outcome.kind !== 'invalid') return;
	const problem = invalidItems(first.outcome.problem, others.length);
	const error = itemError(node, problem, first.item);
	error.context.data = failureSummary(settled)?.lists;
	throw error;
}
