import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { realClock } from '../../../shared/clock';
import {
	sendCreations,
	storeProblem,
	type Creation,
	type Report,
	type Sending,
} from '../../../sending/creations';
import { openLedger } from '../../../deduplication/ledger';
import { planCreations, type Plan } from '../../../sending/plan';
import { rateLimitFor } from '../../../sending/rateLimit';
import { openClient, type ServiceClient } from '../../../service/client';
import { companyOf } from '../../../service/company';
import * as requests from '../../../service/requests';
import { itemError, valid } from '../../items';
import { readEach } from '../../readEach';
import { shownOnlyFor, type Operation } from '../../resource';
import { referenceScope, storeOf } from '../../../deduplication/store';
import { withPreviousAttempts } from '../../../deduplication/previousAttempts';
import { fromFields } from './fromFields';
import { fromJson } from './fromJson';
import { fromShopifyOrder } from './fromShopifyOrder';
import { lossReport } from './failureSummary';
import { optionFields, readRunOptions, skipsAlreadySent, type RunOptions } from './options';
import { dryHint, hintsOf, toDryOutput, toOutput } from './output';
import { prepare, refuseInvalid } from './prepare';
import type { Source } from './source';

const sources: readonly Source[] = [fromFields, fromShopifyOrder, fromJson];

/**
 * Creates a delivery for each input item, each once and in few requests (service document,
 * section 4.1).
 */
export const create: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create deliveries',
		description: 'Create a delivery for each input item, such as a Shopify order',
	},
	fields: [
		{
			displayName: 'Create From',
			name: 'source',
			type: 'options',
			noDataExpression: true,
			options: sources.map(({ option }) => option),
			default: 'fields',
			description: 'Where the data of the deliveries comes from',
		},
		...sources.flatMap(({ option, fields }) => shownOnlyFor({ source: [option.value] }, fields)),
		...optionFields,
	],
	async run(context) {
		const goOn = context.continueOnFail();
		const options = valid(context, readRunOptions(context));
		const skips = valid(context, skipsAlreadySent(context));
		const source = chosenSource(context);
		refuseBlindRetry(context, skips);
		const items = await readEach(context, (item) => prepare(context, source, item, skips));
		if (!goOn) refuseInvalid(context, items);

		const creations = items.flatMap(({ reading }) =>
			reading.kind === 'ready' ? [reading.creation] : [],
		);
		if (creations.length === 0) {
			context.addExecutionHints(...hintsOf(items, nothingSent));
			return items.map((prepared) => toOutput(prepared, nothingSent.outcomes));
		}

		const client = await openClient(context);
		if (skips)
			for (const { companyId } of creations) companyOf(context.getNode(), client, companyId);
		const sending = sendingFor(context, client, options, skips);
		if (options.dryRun) {
			const plan = await planned(context, creations, sending);
			context.addExecutionHints(dryHint(plan));
			return toDryOutput(items, plan);
		}

		const report = withPreviousAttempts(context, await sendCreations(creations, sending));
		context.addExecutionHints(...hintsOf(items, report));
		if (!goOn) refuseLosses(context, creations, report);
		return items.map((prepared) => toOutput(prepared, report.outcomes));
	},
};

/**
 * n8n's "Retry On Fail" runs the whole node again, also for the items that were created.
 *
 * @throws NodeOperationError when nothing would keep a retry from creating them twice
 */
function refuseBlindRetry(context: IExecuteFunctions, skipsAlreadySent: boolean): void {
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

const nothingSent: Report = {
	outcomes: new Map(),
	requests: 0,
	waited: { forLimitMs: 0, forServiceMs: 0 },
	ledgerFailed: false,
};

/** @throws NodeOperationError when an imported workflow names a source that does not exist */
function chosenSource(context: IExecuteFunctions): Source {
	const value = context.getNodeParameter('source', 0);
	const source = sources.find(({ option }) => option.value === value);
	if (source) return source;
	throw new NodeOperationError(context.getNode(), 'Choose a source under Create From');
}

function sendingFor(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ batchSize, maximumWaitSeconds, timeoutSeconds }: RunOptions,
	skipsAlreadySent: boolean,
): Sending {
	const { send } = client;
	const { baseUrl, apiKeyId } = client.credential;
	const scopeOf = (companyId: Creation['companyId']) =>
		referenceScope(baseUrl, companyOf(context.getNode(), client, companyId));
	const mark = randomUUID();
	return {
		send: async (body) =>
			await send({ ...requests.creation(body), timeoutMs: timeoutSeconds * 1000 }),
		rateLimit: rateLimitFor(baseUrl, apiKeyId),
		clock: realClock,
		random: Math.random,
		signal: context.getExecutionCancelSignal(),
		batchSize,
		maximumWaitMs: maximumWaitSeconds * 1000,
		goOn: context.continueOnFail(),
		ownCompanyId: client.credential.companyId,
		...(skipsAlreadySent && {
			ledgerFor: (companyId) => openLedger(storeOf(context), scopeOf(companyId), mark, realClock),
		}),
	};
}

/** @throws NodeOperationError when it cannot be looked up what was sent already */
async function planned(
	context: IExecuteFunctions,
	creations: readonly Creation[],
	sending: Sending,
): Promise<Plan> {
	try {
		return await planCreations(creations, sending);
	} catch (error) {
		const { message, description } = storeProblem(error);
		throw new NodeOperationError(context.getNode(), message, { description });
	}
}

/** @throws NodeOperationError that tells what exists, when not every delivery was created */
function refuseLosses(
	context: IExecuteFunctions,
	creations: readonly Creation[],
	{ outcomes }: Report,
): void {
	const report = lossReport(creations, outcomes);
	if (!report) return;
	const error = itemError(context.getNode(), report.problem, report.item);
	error.context.data = report.lists;
	throw error;
}
