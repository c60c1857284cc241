import { observeConnectionTest } from './connection';
import { createCases, observeAllowResending, observeCreate } from './create';
import type { VariantFixture } from './fixture';
import type { Observation } from './observation';
import { observeEvent, observePublish, observeUnpublish } from './trigger';
import { observeUpdate } from './update';
import * as webhooks from './webhooks';

/** The columns of the page, each with the worst outcome of its cases. */
export const columns = [
	'Create (batches)',
	'Create (one by one)',
	'Update',
	'Webhook',
	'Trigger',
	'Connection test',
] as const;

/** An operation that the test runs under every API variant. */
export interface VariantCase {
	readonly name: string;
	/** What the case verifies under every variant. Follows the name in the test title. */
	readonly claim: string;
	/** Undefined for an operation that sends no request. */
	readonly column?: (typeof columns)[number];
	/** Distinguishes the operations of a column. */
	readonly operation?: string;
	readonly observe: (fixture: VariantFixture, variant: string) => Promise<Observation>;
}

const updateClaim = 'reports only updated deliveries as updated';

export const variantCases: readonly VariantCase[] = [
	...createCases.map((createCase): VariantCase => ({
		name: createCase.name,
		claim: 'creates no duplicates and reports correct outcomes',
		column: createCase.isBatched ? 'Create (batches)' : 'Create (one by one)',
		observe: async (fixture, variant) => await observeCreate(fixture, createCase, variant),
	})),
	{
		name: 'Allow Resending',
		claim: 'clears the references of created and unknown deliveries, and sends nothing',
		observe: observeAllowResending,
	},
	{
		name: 'Update by delivery ID',
		claim: updateClaim,
		column: 'Update',
		observe: async (fixture, variant) => await observeUpdate(fixture, 'deliveryIds', variant),
	},
	{
		name: 'Update by reference ID',
		claim: updateClaim,
		column: 'Update',
		observe: async (fixture, variant) => await observeUpdate(fixture, 'referenceIds', variant),
	},
	{
		name: 'Webhook Create',
		claim: 'reports a webhook as created only if it is active',
		column: 'Webhook',
		operation: 'Create',
		observe: webhooks.observeCreateWebhook,
	},
	{
		name: 'Webhook Get Many',
		claim: 'lists the webhook unless the list looks empty',
		column: 'Webhook',
		operation: 'Get Many',
		observe: webhooks.observeGetWebhooks,
	},
	{
		name: 'Webhook Reactivate',
		claim: 'reports a webhook as reactivated only if it is active',
		column: 'Webhook',
		operation: 'Reactivate',
		observe: webhooks.observeReactivateWebhooks,
	},
	{
		name: 'Webhook Delete',
		claim: 'reports a webhook as deleted only if it is gone',
		column: 'Webhook',
		operation: 'Delete',
		observe: webhooks.observeDeleteWebhook,
	},
	{
		name: 'Publishing the trigger',
		claim: 'subscribes to each event once, or shows why it cannot',
		column: 'Trigger',
		observe: observePublish,
	},
	{
		name: 'Firing an event',
		claim: 'starts the workflow once per call, or logs why it does not',
		column: 'Trigger',
		observe: observeEvent,
	},
	{
		name: 'Unpublishing the trigger',
		claim: 'removes its webhooks, or logs that they remain',
		column: 'Trigger',
		observe: observeUnpublish,
	},
	{
		name: 'Connection test',
		claim: 'shows the message of the service if it fails',
		column: 'Connection test',
		observe: observeConnectionTest,
	},
];
