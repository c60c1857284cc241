/** The trigger's panel. */
import type { INodeProperties, INodeTypeDescription, IWebhookDescription } from 'n8n-workflow';

import { companyIdField, optionsField, textField } from '../common/fields';
import { republishHint } from '../common/text';
import { defaultEvents, eventNames, eventOptions, events, fieldNames } from '../service/events';

const eventLabels = Object.fromEntries(eventNames.map((name) => [name, events[name].name]));

/** The labels of the selected events, shown below the node. */
export const subtitle = `={{ $parameter["events"].map((name) => (${JSON.stringify(eventLabels)})[name]).join(", ") }}`;

/** Their descriptions list the fields, because n8n shows no fields of a trigger before the first event. */
const outputOptions = eventOptions.map(({ value, description, ...option }) => {
	const names = fieldNames(value).join(', ');
	return { ...option, value, description: `${description}. Outputs ${names}.` };
});

const listenHelp =
	'<b>While building your workflow</b>, click the button above to listen, then create or change a delivery in the Delivery Service. The event shows up here.';

const webhookDefaults = {
	responseMode: 'onReceived',
	// Without it, n8n responds with the text "firstEntryJson" instead of what the node returns.
	responseData: '',
	path: 'webhook',
	// Calls to the bare URL are rejected: the node registers the signed URLs with the service.
	ndvHideUrl: true,
} as const;

/**
 * Events arrive as POST requests. A service may use GET or HEAD to check that the URL responds. n8n
 * must register these two before it calls the methods of `default`, which subscribe the URL.
 *
 * PATCH is never accepted. n8n 2 registers a webhook, then subscribes it; if it crashes in between, it
 * later completes only nodes of which a webhook is not registered. PATCH, registered last, shows it
 * that subscribing has not ended.
 */
export const webhooks: IWebhookDescription[] = [
	{ ...webhookDefaults, name: 'setup', httpMethod: 'GET' },
	{ ...webhookDefaults, name: 'setup', httpMethod: 'HEAD' },
	{ ...webhookDefaults, name: 'default', httpMethod: 'POST' },
	{ ...webhookDefaults, name: 'setup', httpMethod: 'PATCH' },
];

/** What the node's panel shows next to the parameters. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Listen for Delivery Service events',
	executionsHelp: {
		inactive: `${listenHelp}<br /><br /><b>Once you're happy with your workflow</b>, publish it. Every event then triggers it automatically. Its runs are listed under Executions.`,
		active: `${listenHelp}<br /><br /><b>Your workflow is published</b>, so every event also triggers it automatically. Its runs are listed under Executions.<br /><br /><b>No events arriving?</b> Then ${republishHint}. This re-creates webhooks that the Delivery Service has lost or blacklisted.`,
	},
	activationHint:
		"Once you've finished building your workflow, publish it so that events trigger it automatically.",
};

/** The trigger's parameters. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'No setup is needed in the Delivery Service. The node registers its webhooks when you listen for a test event or publish the workflow, and removes them when you stop listening or unpublish it.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: outputOptions,
		default: [...defaultEvents],
		description:
			"The events that start the workflow. In this node's Settings, leave Execute Once off: it drops all but the first event of a call. The Delivery Service may send an event twice.",
	},
	{
		...optionsField,
		options: [
			{
				...companyIdField,
				description:
					'ID of the company whose events trigger the workflow. Remove this option to use the company in the credential.',
			},
			textField(
				'Only These Cities',
				'cities',
				'e.g. 3, 8',
				"Comma-separated list of city IDs. Updates of deliveries in other cities don't trigger the workflow.",
			),
			textField(
				'Only These Companies',
				'companies',
				'e.g. 42, 43',
				"Comma-separated list of company IDs. Updates of other companies' deliveries don't trigger the workflow.",
			),
			textField(
				'Only These Statuses',
				'statuses',
				'e.g. processing, pending review',
				"Comma-separated list of delivery statuses. Any spelling of a status matches, e.g. picked_up. Updates to other statuses don't trigger the workflow.",
			),
			{
				displayName: 'Verify Caller',
				name: 'verifyCaller',
				type: 'boolean',
				noDataExpression: true,
				default: true,
				description:
					'Whether to accept only calls from the Delivery Service. The node signs its webhook URLs with your API secret to recognize them. Turn this off only if a proxy rewrites URLs: anyone who knows the URL can then trigger the workflow.',
			},
		],
	},
];
