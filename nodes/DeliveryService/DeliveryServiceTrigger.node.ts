import {
	NodeConnectionTypes,
	NodeOperationError,
	type IDataObject,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { listOf } from './resources/parameters';
import { companyIdField, eventOptions } from './resources/webhook/fields';
import { openClient } from './service/client';
import { testConnection } from './service/connectionTest';
import { eventInQuery, isSigned } from './trigger/address';
import { passes, withoutRepeats } from './trigger/filters';
import { readBody } from './trigger/payload';
import { difference, establish, removeOwn } from './trigger/subscriptions';
import { openSubscriptions, signerOf, triggerOptions } from './trigger/wanted';

/** Bodies above that are no event of the service: the documented ones are far below (section 6). */
const largestBody = 1_000_000;

export class DeliveryServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Delivery Service Trigger',
		name: 'deliveryServiceTrigger',
		icon: {
			light: 'file:../../icons/deliveryService.svg',
			dark: 'file:../../icons/deliveryService.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{$parameter["events"].join(", ")}}',
		description: 'Start the workflow when a delivery or route is created or a delivery changes',
		eventTriggerDescription: 'Waiting for the Delivery Service to report an event',
		activationMessage:
			'The Delivery Service now reports the chosen events to this workflow by itself.',
		defaults: { name: 'Delivery Service Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'deliveryServiceApi', required: true, testedBy: 'deliveryServiceConnectionTest' },
		],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' },
		],
		triggerPanel: {
			header: 'Pull in events from the Delivery Service',
			executionsHelp: {
				inactive:
					"<b>While building your workflow</b>, click 'Listen', then create or change a delivery on the Delivery Service: the event appears here.<br /><br /><b>Once you're happy with it</b>, publish the workflow. From then on every event starts it, and you find what happened under Executions.",
				active:
					"<b>While building your workflow</b>, click 'Listen', then create or change a delivery on the Delivery Service: the event appears here.<br /><br /><b>Your workflow is published</b>, so every event starts it as well. You find what happened under Executions.",
			},
			activationHint:
				"Once you've finished building your workflow, publish it to have events start it by themselves.",
		},
		properties: [
			{
				displayName:
					'You need no webhook settings on the Delivery Service: this node subscribes itself when you listen for a test event or publish the workflow, and unsubscribes afterwards.',
				name: 'notice',
				type: 'notice',
				default: '',
			},
			{
				displayName: 'Events',
				name: 'events',
				type: 'multiOptions',
				required: true,
				options: eventOptions,
				default: ['updateTask'],
				description: 'What starts the workflow',
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add Option',
				default: {},
				options: [
					{
						...companyIdField,
						description:
							'The company whose events are meant. By default the one in the credential.',
					},
					{
						displayName: 'Only These Cities',
						name: 'cities',
						type: 'string',
						default: '',
						placeholder: 'e.g. 3, 8',
						description: 'Numbers of cities, separated by commas (for updated deliveries)',
					},
					{
						displayName: 'Only These Companies',
						name: 'companies',
						type: 'string',
						default: '',
						placeholder: 'e.g. 42, 43',
						description: 'Numbers of companies, separated by commas (for updated deliveries)',
					},
					{
						displayName: 'Only These Statuses',
						name: 'statuses',
						type: 'string',
						default: '',
						placeholder: 'e.g. processing, pending review',
						description:
							'Statuses, separated by commas, as the Delivery Service spells them (for updated deliveries)',
					},
					{
						displayName: 'Signed Addresses',
						name: 'signAddresses',
						type: 'boolean',
						default: true,
						description:
							'Whether only calls that carry a signature made with your API secret start the workflow. Turn it off only when a gateway in front of n8n changes addresses.',
					},
					{
						displayName: 'Skip Repeats Within (Minutes)',
						name: 'skipRepeatsMinutes',
						type: 'number',
						typeOptions: { minValue: 0 },
						default: 10,
						description:
							'An event with the same content as one before starts the workflow only once in this time',
					},
				],
			},
		],
	};

	methods = { credentialTest: { deliveryServiceConnectionTest: testConnection } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				const { webhooks, wanted } = await openSubscriptions(this);
				const { missing, stale } = difference(wanted, await webhooks.list());
				return missing.length === 0 && stale.length === 0;
			},

			async create(this: IHookFunctions): Promise<boolean> {
				const { webhooks, wanted, reachable } = await openSubscriptions(this);
				if (!reachable)
					throw new NodeOperationError(
						this.getNode(),
						'The Delivery Service cannot reach this n8n at a localhost address',
						{
							description: `The address is ${wanted.webhookUrl}. Whoever runs this n8n must give it a public address (the environment variable WEBHOOK_URL).`,
						},
					);
				const found = difference(wanted, await webhooks.list());
				await establish(webhooks, found);
				if (found.blacklisted.length > 0)
					this.logger.warn(
						`The Delivery Service had stopped calling ${found.blacklisted.length} webhook(s) of the node "${this.getNode().name}". They were subscribed anew.`,
					);
				return true;
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				const { webhooks, wanted } = await openSubscriptions(this);
				await removeOwn(webhooks, wanted.webhookUrl);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const refuse = (status: number, message: string): IWebhookResponseData => {
			this.getResponseObject().status(status).json({ message });
			return { noWebhookResponse: true };
		};
		const options = triggerOptions(this);
		const query = this.getQueryData() as IDataObject;
		if (options.signAddresses) {
			const { apiSecret } = (await openClient(this)).credential;
			if (!isSigned(query, signerOf(this, apiSecret)))
				return refuse(401, 'The signature of the address is missing or wrong');
		}
		const { rawBody } = this.getRequestObject();
		if (rawBody && rawBody.length > largestBody) return refuse(413, 'The payload is too large');

		const received = readBody(this.getBodyData(), eventInQuery(query));
		if (!received) return refuse(400, 'The body holds no event');

		const wanted = received.filter((event) =>
			passes(event, {
				statuses: listOf(options.statuses).map(String),
				companies: listOf(options.companies).map(String),
				cities: listOf(options.cities).map(String),
			}),
		);
		const fresh = withoutRepeats(
			wanted,
			this.getWorkflowStaticData('node'),
			options.skipRepeatsMinutes * 60_000,
			Date.now(),
		);
		if (fresh.length === 0) return { webhookResponse: { message: 'Received' } };
		return { workflowData: [this.helpers.returnJsonArray(fresh as IDataObject[])] };
	}
}
