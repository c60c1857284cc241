import type { INodeParameters } from 'n8n-workflow';

import type { NodeRun } from '../engine/engine';
import type { VariantFixture } from './fixture';
import type { Observation, Outcome } from './observation';
import { hasFailedItem, messagesOf } from './output';

const url = 'https://shop.example/events';
const host = 'https://shop.example/';

/** Fails if a failed run does not show the messages of the service to its user. */
export function expectFailureShown(
	fixture: VariantFixture,
	run: NodeRun,
	firstRequest: number,
): void {
	const messages = messagesOf(run);
	if (hasFailedItem(run) || run.error !== undefined)
		for (const message of fixture.failureMessages(firstRequest))
			expect(messages.join('\n')).toContain(message);
	fixture.expectNoHarm(messages);
}

async function runWebhook(
	fixture: VariantFixture,
	variant: string,
	parameters: INodeParameters,
): Promise<{ run: NodeRun; failed: boolean }> {
	const before = fixture.control.requests().length;
	fixture.simulate(variant);
	const run = await fixture.service.run(
		{ resource: 'webhook', ...parameters },
		{ onError: 'continueRegularOutput' },
	);
	expectFailureShown(fixture, run, before);
	expect(run.error).toBeUndefined();
	return { run, failed: hasFailedItem(run) };
}

const statuses = (fixture: VariantFixture): string[] =>
	fixture.webhooksAt(host).map(({ url: listedUrl, status }) => {
		if (listedUrl.includes('/reactivating/')) return 'placeholder';
		return status === 'Active' ? 'active webhook' : 'blacklisted webhook';
	});

const atService = (fixture: VariantFixture): string =>
	`${statuses(fixture).join(' and ') || 'no webhook'} at the service`;

/** Subscribes a URL. */
export async function observeCreateWebhook(
	fixture: VariantFixture,
	variant: string,
): Promise<Observation> {
	const { run, failed } = await runWebhook(fixture, variant, {
		operation: 'create',
		url,
		event: 'updateTask',
	});
	const webhooks = fixture.webhooksAt(url);
	if (!failed) expect(webhooks).toMatchObject([{ action: 3, status: 'Active' }]);
	return {
		outcome: !failed ? 'ok' : webhooks.length > 0 ? 'false error' : 'rejected',
		summary: `Reported as ${failed ? 'failed' : 'created'}; ${atService(fixture)}.`,
		messages: messagesOf(run),
	};
}

/** Variants under which the list looks empty. */
const looksEmpty = /^list-no-body$/;

/** Lists the webhooks, one of which belongs to another program. */
export async function observeGetWebhooks(
	fixture: VariantFixture,
	variant: string,
): Promise<Observation> {
	await fixture.service.subscribe(url, 3);
	const { run, failed } = await runWebhook(fixture, variant, {
		operation: 'getAll',
		returnAll: true,
	});
	const listed = run.items.filter(({ json }) => JSON.stringify(json).includes('shop.example'));
	if (failed) expect(variant).toMatch(/^(all-|list-403$)/);
	else expect(listed).toHaveLength(looksEmpty.test(variant) ? 0 : 1);
	return {
		outcome: failed ? 'rejected' : listed.length > 0 ? 'ok' : 'undetected',
		summary: failed ? 'Reported as failed.' : `Webhooks listed: ${run.items.length}.`,
		messages: messagesOf(run),
	};
}

/** Variants under which a blacklisted webhook is not found, or cannot be re-created. */
const cannotReactivate =
	/^(all-|list-403$|list-no-body$|list-without-status$|url-encoded-in-list$|subscribe-(403|code-error|event-409|ignored)$|unsubscribe-(ignored|400|banned-40[03])$)/;

/** Reactivates a blacklisted webhook. */
export async function observeReactivateWebhooks(
	fixture: VariantFixture,
	variant: string,
): Promise<Observation> {
	await fixture.service.subscribe(url, 3);
	fixture.control.blacklist(url, 3);
	const { run, failed } = await runWebhook(fixture, variant, {
		operation: 'reactivate',
		urlPrefix: host,
	});
	const count = run.items.filter(({ json }) => json.reactivated === true).length;
	const webhooks = fixture.webhooksAt(url);
	if (count > 0) expect(webhooks).toMatchObject([{ status: 'Active' }]);
	else expect(variant).toMatch(cannotReactivate);
	expect(webhooks.length).toBeLessThanOrEqual(1);
	const reported = failed ? 'failed' : count > 0 ? 'reactivated' : 'nothing to reactivate';
	return {
		outcome: outcomeOfReactivation(reported, webhooks[0]?.status),
		summary: `${reported === 'nothing to reactivate' ? 'Reported that there is' : 'Reported as'} ${reported}; ${atService(fixture)}.`,
		messages: messagesOf(run),
	};
}

function outcomeOfReactivation(
	reported: 'failed' | 'reactivated' | 'nothing to reactivate',
	status: string | undefined,
): Outcome {
	if (reported === 'reactivated') return 'ok';
	if (reported === 'nothing to reactivate') return 'undetected';
	if (status === undefined) return 'half done';
	return status === 'Active' ? 'false error' : 'rejected';
}

/** Unsubscribes a URL. */
export async function observeDeleteWebhook(
	fixture: VariantFixture,
	variant: string,
): Promise<Observation> {
	await fixture.service.subscribe(url, 3);
	const { run, failed } = await runWebhook(fixture, variant, {
		operation: 'delete',
		selectBy: 'urlAndEvent',
		url,
		event: 'updateTask',
	});
	const webhooks = fixture.webhooksAt(url);
	if (!failed) expect(webhooks).toEqual([]);
	return {
		outcome: !failed ? 'ok' : webhooks.length === 0 ? 'false error' : 'rejected',
		summary: `Reported as ${failed ? 'failed' : 'deleted'}; ${atService(fixture)}.`,
		messages: messagesOf(run),
	};
}
