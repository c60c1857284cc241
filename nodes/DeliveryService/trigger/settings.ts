/** The settings of the trigger: reads and checks them. */
import type { IHookFunctions } from 'n8n-workflow';

import { asRecord, nodeParameter, toList } from '../common/parameters';
import { operationError, unwrap } from '../common/result';
import { describeValue } from '../common/text';
import { openClient } from '../service/client';
import { isLoopback, selectedCompany } from '../service/credential';
import { eventNames, eventNameSchema, type EventName } from '../service/events';
import { companyWebhooksClient, type Webhooks } from '../service/webhooks';
import { invalidFilter, readFilters, type Filters } from './filters';
import { expressionProblem } from './messages';
import { createSigner, forgetCallSigners, type TriggerContext } from './signers';
import { subscriptionFor, type EventSubscription, type UrlOwner } from './urls';

/**
 * The timeout of a request while n8n turns a workflow on or off. n8n 2 tries to publish five times, waits
 * 15 s in between, and gives up after 84 s without naming a cause. Each try has up to three requests after
 * each other: listing or subscribing, undoing that, and removing what n8n has turned off.
 */
const requestTimeoutMs = 4_000;

/** The settings of a trigger, read once per call of n8n. */
export interface TriggerSettings {
	options: Readonly<Record<string, unknown>>;
	/** The values of Trigger On, which may be an expression. */
	triggerOn: readonly unknown[];
	/** The selected events. */
	events: readonly EventName[];
	filters: Filters;
	/** Whether the trigger's URLs are signed: always, unless the user has turned it off. */
	verifiesCaller: boolean;
}

/** @throws NodeOperationError when an expression fails */
export function readSettings(context: TriggerContext): TriggerSettings {
	const options = asRecord(readParameter(context, 'options', {}));
	const triggerOn = toList(readParameter(context, 'events', []));
	return {
		options,
		triggerOn,
		events: eventNames.filter((name) => triggerOn.includes(name)),
		filters: readFilters(options),
		verifiesCaller: options.verifyCaller !== false,
	};
}

function readParameter(context: TriggerContext, name: string, fallback: unknown): unknown {
	try {
		return nodeParameter(context, name, fallback);
	} catch (error) {
		throw operationError(context.getNode(), expressionProblem(error));
	}
}

/**
 * Checks the selected events and the filters.
 *
 * @throws NodeOperationError that names the invalid parameter
 */
export function assertSettings(context: IHookFunctions, settings: TriggerSettings): void {
	const { triggerOn, events, filters } = settings;
	const unknown = triggerOn.find((one) => !eventNameSchema.safeParse(one).success);
	if (unknown !== undefined)
		throw operationError(context.getNode(), {
			message: `Trigger On contains ${describeValue(unknown)}, which is not a Delivery Service event`,
			description:
				'Select the events under Trigger On. An expression must return their names, e.g. updateTask.',
		});
	if (events.length === 0)
		throw operationError(context.getNode(), {
			message: 'No Delivery Service event is selected',
			description: 'Select at least one event under Trigger On.',
		});
	const problem = invalidFilter(filters);
	if (problem) throw operationError(context.getNode(), problem);
}

/** What a trigger needs to manage its subscriptions. */
export interface OpenTrigger {
	webhooks: Webhooks;
	owner: UrlOwner;
	/** One subscription per selected event. */
	desired: EventSubscription[];
	/** Whether the service can reach the webhook URL, judging by the URL alone. */
	isReachable: boolean;
}

/**
 * Determines the desired subscriptions, and opens the service's list of them.
 *
 * @throws NodeOperationError when the node or its credential is incomplete
 */
export async function openTrigger(
	context: IHookFunctions,
	settings: TriggerSettings,
): Promise<OpenTrigger> {
	// The credential or the settings may have changed.
	forgetCallSigners();
	const owner = urlOwner(context);
	const { credential, send } = await openClient(context);
	const company = unwrap(context.getNode(), selectedCompany(credential, settings.options));
	const signer = createSigner(context, credential, company);
	const withTimeout: typeof send = async (request) =>
		await send({ ...request, timeoutMs: requestTimeoutMs });
	return {
		webhooks: companyWebhooksClient(context.getNode(), { send: withTimeout }, company),
		owner,
		desired: settings.events.map((event) =>
			subscriptionFor(owner, event, signer, settings.verifiesCaller),
		),
		isReachable: !isLoopback(owner.webhookUrl) || isLoopback(credential.baseUrl),
	};
}

/** @throws NodeOperationError when n8n has no webhook URL for the node */
function urlOwner(context: IHookFunctions): UrlOwner {
	const webhookUrl = context.getNodeWebhookUrl('default');
	if (!webhookUrl)
		throw operationError(context.getNode(), {
			message: 'n8n did not provide a webhook URL for the Delivery Service Trigger',
		});
	return { webhookUrl, workflowId: context.getWorkflow().id ?? '' };
}
