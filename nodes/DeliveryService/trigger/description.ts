import type { INodeProperties, INodeTypeDescription, IWebhookDescription } from 'n8n-workflow';

import { eventNames, eventOptions, events } from '../service/events';
import { companyIdField } from '../common/fields';
import { republishHint } from '../common/republish';

const eventLabels = Object.fromEntries(eventNames.map((name) => [name, events[name].name]));

/** The chosen events in the words of the picker, shown below the node. */
export const subtitle = `={{ $parameter["events"].map((name) => (${JSON.stringify(eventLabels)})[name]).join(", ") }}`;

const listenHelp =
	'<b>While you build your workflow</b>, click the button above to listen, then create or change a delivery on the Delivery Service. The event appears here.';

const webhookDefaults = {
	responseMode: 'onReceived',
	path: 'webhook',
	// The bare address starts nothing: the node gives the service the signed ones.
	ndvHideUrl: true,
} as const;

/**
 * The events come with POST. With the other two a service may try out whether the address answers;
 * n8n must know them before it calls the methods of `default`, which subscribe the address.
 */
export const webhooks: IWebhookDescription[] = [
	{ ...webhookDefaults, name: 'setup', httpMethod: 'GET' },
	{ ...webhookDefaults, name: 'setup', httpMethod: 'HEAD' },
	{ ...webhookDefaults, name: 'default', httpMethod: 'POST' },
];

/** What the open node shows beside its settings. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Pull in events from the Delivery Service',
	executionsHelp: {
		inactive: `${listenHelp}<br /><br /><b>When you are happy with it</b>, publish the workflow. From then on every event starts it by itself, and you find what happened under Executions.`,
		active: `${listenHelp}<br /><br /><b>Your workflow is published</b>, so every event starts it by itself as well. You find what happened under Executions.<br /><br /><b>Events stay away?</b> Then ${republishHint}: that makes anew what the Delivery Service has lost or stopped calling.`,
	},
	activationHint:
		'When your workflow is finished, publish it, so that events start it by themselves.',
};

/** The trigger's settings. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'You need to set up nothing on the Delivery Service. This node registers itself there when you listen for a test event or publish the workflow, and takes itself off afterwards.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: eventOptions,
		default: ['updateTask'],
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
				description: 'The company whose events are meant. By default the one in the credential.',
			},
			{
				displayName: 'Ignore Duplicates Within (Minutes)',
				name: 'ignoreDuplicatesMinutes',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 10,
				description:
					'Within this time, the same event with the same content ends the workflow at this node. That may also be a second change, to a field that the event does not hold. With several n8n workers, a repeat may get through.',
			},
			{
				displayName: 'Only These Cities',
				name: 'cities',
				type: 'string',
				default: '',
				placeholder: 'e.g. 3, 8',
				description:
					'Numbers of cities, separated by commas. Updated deliveries of other cities do not start the workflow.',
			},
			{
				displayName: 'Only These Companies',
				name: 'companies',
				type: 'string',
				default: '',
				placeholder: 'e.g. 42, 43',
				description:
					'Numbers of companies, separated by commas. Updated deliveries of other companies do not start the workflow.',
			},
			{
				displayName: 'Only These Statuses',
				name: 'statuses',
				type: 'string',
				default: '',
				placeholder: 'e.g. processing, pending review',
				description:
					'Statuses of the Delivery Service, separated by commas; capitals, spaces and underscores make no difference. Updated deliveries with another status do not start the workflow.',
			},
			{
				displayName: 'Verify Caller',
				name: 'verifyCaller',
				type: 'boolean',
				noDataExpression: true,
				default: true,
				description:
					'Whether only the Delivery Service itself can start the workflow: the addresses that it calls are signed with your API secret. Turn this off only if something in between changes web addresses; then anybody who knows the address can start the workflow.',
			},
		],
	},
];
