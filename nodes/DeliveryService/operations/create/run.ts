import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { openLedger } from '../../ledger/ledger';
import { assertRetryIsSafe, attemptsOf, type Attempts } from './retries';
import { openWorkflowStore } from '../../ledger/store';
import { sendCreations } from '../../sending/creations';
import { withReference } from '../../sending/namedProblems';
import type { Report, SendingOptions } from '../../sending/options';
import { notSent, storeProblem, withOutcome, type Creation } from '../../sending/outcomes';
import { findUnsent, type SkippedCreation } from '../../sending/unsent';
import { rateLimitFor } from '../../sending/rateLimit';
import { unreachableRetryInEditorMs } from '../../sending/request';
import { openClient } from '../../service/client';
import { resolveCompanyId } from '../../service/credential';
import * as requests from '../../service/requests';
import { realClock } from '../../common/clock';
import { operationError, unwrap } from '../../service/nodeErrors';
import { parameterReader, type ParameterReader } from '../../common/parameters';
import { hasErrorOutput, itemError, mapItems, toProblem, withErrorItems } from '../items';
import { readFixedOverrides } from '../fields/fixedOverrides';
import { failedLedger, findMemories } from '../memories';
import { dryRunHint, plannedItems, toDryRunItems } from './dryRun';
import { describeOutcomes, failureSummary } from './failureSummary';
import { orderHints, runHints } from './hints';
import { readRunOptions, readSkipAlreadySent, type RunOptions } from './options';
import { outcomesByItem, toBareItems, toOutputItems, toUnsentItem } from './output';
import { assertValid, toCreations, prepare } from './prepare';
import { withResendWarning } from './resendWarning';
import type { Source } from './source';

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
	return await withErrorItems(
		context,
		async () => await runCreations(context, selectSource, toErrorOutput),
		(problem, item) => toUnsentItem(problem, item, toErrorOutput),
	);
}

async function runCreations(
	context: IExecuteFunctions,
	selectSource: (parameters: ParameterReader) => Source,
	toErrorOutput: boolean,
): Promise<INodeExecutionData[]> {
	const continueOnFail = context.continueOnFail();
	const parameters = parameterReader(context);
	const options = unwrap(context.getNode(), readRunOptions(parameters));
	const skips = unwrap(context.getNode(), readSkipAlreadySent(parameters));
	const source = selectSource(parameters);
	const overrides = readFixedOverrides(context);
	assertRetryIsSafe(context, skips, options.dryRun);
	const attempts = attemptsOf(context);
	const items = await mapItems(
		context,
		(item) => attempts.sentItem(item) ?? prepare(parameters, source, item, skips),
	);
	if (!continueOnFail) assertValid(context.getNode(), items, attempts.hasSent);

	const creations = toCreations(items).filter(({ item }) => attempts.sentItem(item) === undefined);
	if (creations.length === 0 && !options.dryRun) return finish(emptyReport);

	const opening = openSending(context, options, attempts, skips ? creations : undefined);
	if (attempts.hasSent) {
		// A failure is reported together with what an earlier attempt has sent.
		const problem = await opening.then(() => undefined, toProblem);
		if (problem)
			return finish({
				...emptyReport,
				results: withOutcome(creations, notSent(problem, skips)),
			});
	}
	const sending = await opening;
	if (options.dryRun) {
		const planned = plannedItems(items, await findUnsentOrThrow(context, creations, sending));
		const toSend = planned.flatMap(({ prepared, notSent }) => (notSent ? [] : [prepared]));
		context.addExecutionHints(dryRunHint(planned), ...orderHints(toSend, overrides));
		return toDryRunItems(planned, toErrorOutput);
	}

	return finish(await sendCreations(creations, sending));

	function finish(latest: Report): INodeExecutionData[] {
		const all = attempts.addReport(items, latest);
		const report = { ...all, results: all.results.map(withReference) };
		if (context.getExecutionCancelSignal()?.aborted) logOutcomes(context, report);
		const output = toItems(report);
		if (!continueOnFail) assertNoFailure(context, report, skips);
		return output;
	}

	function toItems(report: Report): INodeExecutionData[] {
		const outcomes = outcomesByItem(
			items,
			skips ? report.results : withResendWarning(report.results),
		);
		try {
			const created = items.filter(({ item }) => outcomes.get(item)?.kind === 'created');
			context.addExecutionHints(
				...runHints(items, outcomes, report),
				...orderHints(created, overrides),
			);
			return toOutputItems(items, outcomes, toErrorOutput);
		} catch (error) {
			context.logger.error('The output of the Delivery Service node is incomplete', { error });
			return toBareItems(items, outcomes, toErrorOutput);
		}
	}
}

const emptyReport: Report = {
	results: [],
	requests: 0,
	waited: { forLimitMs: 0, forServiceMs: 0 },
	ledgerFailed: false,
};

/**
 * Opens what a run needs to send.
 *
 * @param remembered the creations whose references are remembered, if any are
 * @throws NodeOperationError when the credential is incomplete, or when it has a new Base URL
 */
async function openSending(
	context: IExecuteFunctions,
	options: RunOptions,
	attempts: Attempts,
	remembered?: readonly Creation[],
): Promise<SendingOptions> {
	const client = await openClient(context);
	const companyOf = (companyId: Creation['companyId']) =>
		unwrap(context.getNode(), resolveCompanyId(client.credential, companyId));
	const companyIds = remembered?.map(({ companyId }) => companyOf(companyId));
	const memories =
		companyIds && (await findMemories(context, client.credential.baseUrl, companyIds));
	const { send } = client;
	const { baseUrl, apiKeyId } = client.credential;
	return {
		send: async (body) => {
			attempts.addRequest(body);
			const timeoutMs = options.timeoutSeconds * 1000;
			return await send({ ...requests.creationRequest(body), timeoutMs });
		},
		rateLimit: rateLimitFor(baseUrl, apiKeyId),
		clock: realClock,
		random: Math.random,
		signal: context.getExecutionCancelSignal(),
		batchSize: options.batchSize,
		retryRejectedBatches: options.retryRejectedBatches,
		maxRetryMs: options.maxRetrySeconds * 1000,
		...(context.getMode() === 'manual' && { maxUnreachableMs: unreachableRetryInEditorMs }),
		continueOnFail: context.continueOnFail(),
		ownCompanyId: client.credential.companyId,
		...(memories && {
			ledgerFor: (companyId) => {
				const memory = memories(companyOf(companyId));
				if ('error' in memory) return failedLedger(memory.error);
				const { scope, entries } = memory;
				return openLedger(openWorkflowStore(context), scope, randomUUID(), realClock, entries);
			},
		}),
	};
}

/** @throws NodeOperationError when the sent references can't be looked up */
async function findUnsentOrThrow(
	context: IExecuteFunctions,
	creations: readonly Creation[],
	sending: SendingOptions,
): Promise<SkippedCreation[]> {
	try {
		return await findUnsent(creations, sending);
	} catch (error) {
		throw operationError(context.getNode(), storeProblem(error));
	}
}

/** @throws NodeOperationError that lists the outcome of every delivery, when one was not created */
function assertNoFailure(
	context: IExecuteFunctions,
	{ results }: Report,
	isRemembered: boolean,
): void {
	const hasSucceeded = results.every(
		({ outcome: { kind } }) => kind === 'created' || kind === 'skipped',
	);
	const summary = hasSucceeded ? undefined : failureSummary(results, isRemembered);
	if (!summary) return;
	const error = itemError(context.getNode(), summary.problem, summary.item);
	error.context.data = summary.lists;
	throw error;
}

/**
 * Logs the outcomes of a run that a user or a timeout stopped: n8n saves the execution at that
 * moment and may discard what the node returns or throws afterwards.
 */
function logOutcomes(context: IExecuteFunctions, { results }: Report): void {
	const summary = describeOutcomes(results);
	if (!summary) return;
	const { name, id } = context.getWorkflow();
	context.logger.warn(
		`"${context.getNode().name}" in workflow "${name ?? id ?? ''}" was stopped (execution ${context.getExecutionId()}). ${summary}`,
	);
}
