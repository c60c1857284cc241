import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { openLedger } from '../../../deduplication/ledger';
import { assertRetryIsSafe, withPreviousAttempts } from './retries';
import { referenceScope, openWorkflowStore } from '../../../deduplication/store';
import { sendCreations, type Report, type SendingOptions } from '../../../sending/creations';
import { storeProblem, type Creation } from '../../../sending/outcomes';
import { planCreations, type Plan } from '../../../sending/plan';
import { rateLimitFor } from '../../../sending/rateLimit';
import { openClient, type ServiceClient } from '../../../service/client';
import { resolveCompanyId } from '../../../service/credential';
import * as requests from '../../../service/requests';
import { realClock } from '../../../common/clock';
import { operationError, unwrap } from '../../../service/nodeErrors';
import { parameterReader, type ParameterReader } from '../../../common/parameters';
import { itemError, mapItems } from '../../items';
import { showFor, type Operation } from '../../resource';
import { describeOutcomes, failureSummary } from './failureSummary';
import { fromFields } from './fromFields';
import { fromJson } from './fromJson';
import { fromShopifyOrder } from './fromShopifyOrder';
import { optionFields, readRunOptions, readSkipAlreadySent, type RunOptions } from './options';
import {
	orderHints,
	dryRunHint,
	runHints,
	outcomesByItem,
	toDryRunItems,
	toOutputItems,
} from './output';
import { assertValid, toCreations, prepare } from './prepare';
import { withResendWarning } from './resendWarning';
import type { Source } from './source';

const sources: readonly Source[] = [fromShopifyOrder, fromFields, fromJson];

/** Creates one delivery per input item, in as few requests as are safe (API document, section 4.1). */
export const createDelivery: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create deliveries',
		description: 'Create a delivery from each Shopify order, or from values you enter',
	},
	fields: [
		{
			displayName: 'Create From',
			name: 'source',
			type: 'options',
			noDataExpression: true,
			options: sources.map(({ option }) => option),
			default: 'shopifyOrder',
			description: 'What each delivery is created from',
		},
		...sources.flatMap(({ option, fields }) => showFor({ source: [option.value] }, fields)),
		...optionFields(sources),
	],
	async run(context) {
		const continueOnFail = context.continueOnFail();
		const parameters = parameterReader(context);
		const options = unwrap(context.getNode(), readRunOptions(parameters));
		const skips = unwrap(context.getNode(), readSkipAlreadySent(parameters));
		const source = selectedSource(context, parameters);
		assertRetryIsSafe(context, skips, options.dryRun);
		const items = await mapItems(context, (item) => prepare(parameters, source, item, skips));
		if (!continueOnFail) assertValid(context.getNode(), items);

		const creations = toCreations(items);
		if (creations.length === 0) return toItems(emptyReport);

		const client = await openClient(context);
		if (skips)
			for (const { companyId } of creations)
				unwrap(context.getNode(), resolveCompanyId(client.credential, companyId));
		const sending = sendingOptions(context, client, options, skips);
		if (options.dryRun) {
			const plan = await planOrThrow(context, creations, sending);
			const toSend = new Set(
				plan.requests.flatMap(({ creations }) => creations.map(({ item }) => item)),
			);
			context.addExecutionHints(
				dryRunHint(plan),
				...orderHints(items.filter(({ item }) => toSend.has(item))),
			);
			return toDryRunItems(items, plan);
		}

		const report = withPreviousAttempts(context, await sendCreations(creations, sending));
		if (sending.signal?.aborted) logOutcomes(context, report);
		const output = toItems(report);
		if (!continueOnFail) assertNoFailure(context, report, skips);
		return output;

		function toItems(report: Report): INodeExecutionData[] {
			const outcomes = outcomesByItem(
				items,
				skips ? report.results : withResendWarning(report.results),
			);
			const created = items.filter(({ item }) => outcomes.get(item)?.kind === 'created');
			context.addExecutionHints(...runHints(items, outcomes, report), ...orderHints(created));
			return toOutputItems(items, outcomes);
		}
	},
};

const emptyReport: Report = {
	results: [],
	requests: 0,
	waited: { forLimitMs: 0, forServiceMs: 0 },
	ledgerFailed: false,
};

/** @throws NodeOperationError when an imported workflow names an unknown source */
function selectedSource(context: IExecuteFunctions, parameters: ParameterReader): Source {
	const value = parameters.get('source', 0);
	const source = sources.find(({ option }) => option.value === value);
	if (source) return source;
	throw operationError(context.getNode(), { message: 'Choose a source under Create From' });
}

function sendingOptions(
	context: IExecuteFunctions,
	client: ServiceClient,
	options: RunOptions,
	skipsAlreadySent: boolean,
): SendingOptions {
	const { send } = client;
	const { baseUrl, apiKeyId } = client.credential;
	const scopeOf = (companyId: Creation['companyId']) =>
		referenceScope(
			baseUrl,
			unwrap(context.getNode(), resolveCompanyId(client.credential, companyId)),
		);
	return {
		send: async (body) =>
			await send({ ...requests.creationRequest(body), timeoutMs: options.timeoutSeconds * 1000 }),
		rateLimit: rateLimitFor(baseUrl, apiKeyId),
		clock: realClock,
		random: Math.random,
		signal: context.getExecutionCancelSignal(),
		batchSize: options.batchSize,
		retryRejectedBatches: options.retryRejectedBatches,
		maxRetryMs: options.maxRetrySeconds * 1000,
		continueOnFail: context.continueOnFail(),
		ownCompanyId: client.credential.companyId,
		...(skipsAlreadySent && {
			ledgerFor: (companyId) =>
				openLedger(openWorkflowStore(context), scopeOf(companyId), randomUUID(), realClock),
		}),
	};
}

/** @throws NodeOperationError when the sent references can't be looked up */
async function planOrThrow(
	context: IExecuteFunctions,
	creations: readonly Creation[],
	sending: SendingOptions,
): Promise<Plan> {
	try {
		return await planCreations(creations, sending);
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
