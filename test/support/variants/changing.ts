import type { INodeParameters } from 'n8n-workflow';

import type { NodeRun } from '../engine/engine';
import { itemSchema, shownBy, type Observation, type Surroundings } from './surroundings';

const goOn = { onError: 'continueRegularOutput' } as const;

/** Fails when a run that did not succeed keeps the service's words from its user. */
function assertWordsShown(surroundings: Surroundings, run: NodeRun, from: number): void {
	const shown = shownBy(run);
	const failed = run.items.some(({ json }) => itemSchema.parse(json).error !== undefined);
	if (failed || run.error !== undefined)
		for (const words of surroundings.refusals(from)) expect(shown.join('\n')).toContain(words);
	surroundings.assertHarmless(shown);
}

/** Variants under which no update is made, or nobody can tell whether it was. */
const mayFail = /^(all-|update-code-error$|update-303$)/;

/** Changes two deliveries that exist and one that does not, in one request as far as may be. */
export async function observeUpdating(
	surroundings: Surroundings,
	target: 'deliveryIds' | 'referenceIds',
	variant: string,
): Promise<Observation> {
	const ids = await surroundings.service.seed(2);
	const names = [...(target === 'deliveryIds' ? ids : ['R0', 'R1']), 'NOT-THERE'];
	const before = surroundings.control.requests().length;
	surroundings.choose(variant);

	const run = await surroundings.service.run(
		{
			resource: 'delivery',
			operation: 'update',
			target,
			[target]: names.join(', '),
			changes: { cod: '5' },
		},
		goOn,
	);

	assertWordsShown(surroundings, run, before);
	expect(run.error).toBeUndefined();
	expect(run.items).toHaveLength(names.length);
	const failed = run.items.map(({ json }) => itemSchema.parse(json).error !== undefined);
	const changed = surroundings.control.deliveries().map(({ request }) => request.cod === 5);
	const told = changed.map((isChanged, index) => ({ isChanged, isDone: failed[index] === false }));
	// What the node calls done must be done; and what can be done, it does.
	for (const { isChanged, isDone } of told) {
		if (isDone) expect(isChanged).toBe(true);
		else expect(variant).toMatch(mayFail);
	}
	const [first, second] = told.map(({ isChanged, isDone }) =>
		isDone ? 'updated' : isChanged ? 'told as failed, but updated' : 'told as failed',
	);
	const existing = first === second ? `both ${first}` : `one ${first}, one ${second}`;
	const missing = failed[2] === true ? 'told as failed' : 'told as updated';
	const requests = surroundings.control.requests().length - before;
	return {
		happens: `Two that exist: ${existing}. One that does not: ${missing}. ${requests} ${requests === 1 ? 'request' : 'requests'}.`,
		sees: shownBy(run),
	};
}

const url = 'https://shop.example/events';

async function runWebhook(
	surroundings: Surroundings,
	variant: string,
	parameters: INodeParameters,
): Promise<{ run: NodeRun; failed: boolean }> {
	const before = surroundings.control.requests().length;
	surroundings.choose(variant);
	const run = await surroundings.service.run({ resource: 'webhook', ...parameters }, goOn);
	assertWordsShown(surroundings, run, before);
	expect(run.error).toBeUndefined();
	const failed = run.items.some(({ json }) => itemSchema.parse(json).error !== undefined);
	return { run, failed };
}

const stateOf = (surroundings: Surroundings): string =>
	surroundings
		.hooksAt(url.slice(0, 20))
		.map(({ status }) => status.toLowerCase())
		.join(' and ') || 'none';

/** Subscribes a URL. */
export async function observeSubscribing(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	const { run, failed } = await runWebhook(surroundings, variant, {
		operation: 'create',
		url,
		event: 'updateTask',
	});
	const hooks = surroundings.hooksAt(url);
	if (!failed) expect(hooks).toMatchObject([{ action: 3, status: 'Active' }]);
	return {
		happens: `${failed ? 'Told as failed' : 'Told as done'}. Then at the service: ${stateOf(surroundings)}.`,
		sees: shownBy(run),
	};
}

/** Variants under which the list shows nothing; a 404 may be an empty list too. */
const showsNone = /^(list-no-body|all-404(-page)?)$/;

/** Lists the subscriptions, of which one is ours and one another program's. */
export async function observeListing(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	await surroundings.service.subscribe(url, 3);
	const { run, failed } = await runWebhook(surroundings, variant, {
		operation: 'getAll',
		returnAll: true,
	});
	const listed = run.items.filter(({ json }) => JSON.stringify(json).includes('shop.example'));
	if (failed) expect(variant).toMatch(/^(all-|list-403$)/);
	else expect(listed).toHaveLength(showsNone.test(variant) ? 0 : 1);
	return {
		happens: failed ? 'Told as failed.' : `${run.items.length} listed.`,
		sees: shownBy(run),
	};
}

/** Variants under which a blacklisted subscription isn't seen, or can't be made anew. */
const cannotRepair =
	/^(all-|list-403$|list-no-body$|list-without-status$|url-encoded-in-list$|subscribed-500$|subscribe-(403|code-error|event-409)$|unsubscribe-(ignored|400|banned-40[03])$)/;

/** Repairs a subscription that was blacklisted. */
export async function observeRepairing(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	await surroundings.service.subscribe(url, 3);
	surroundings.control.blacklist(url, 3);
	const { run, failed } = await runWebhook(surroundings, variant, {
		operation: 'repair',
		url: 'https://shop.example/',
	});
	const repaired = run.items.filter(({ json }) => json.repaired === true).length;
	// Whoever reads "repaired" relies on it.
	if (repaired > 0) expect(surroundings.hooksAt(url)).toMatchObject([{ status: 'Active' }]);
	else expect(variant).toMatch(cannotRepair);
	expect(surroundings.hooksAt(url).length).toBeLessThanOrEqual(1);
	return {
		happens: `${failed ? 'Told as failed' : repaired > 0 ? 'Told as repaired' : 'Nothing found to repair'}. Then at the service: ${stateOf(surroundings)}.`,
		sees: shownBy(run),
	};
}

/** Unsubscribes a URL. */
export async function observeUnsubscribing(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	await surroundings.service.subscribe(url, 3);
	const { run, failed } = await runWebhook(surroundings, variant, {
		operation: 'delete',
		selectBy: 'urlAndEvent',
		url,
		event: 'updateTask',
	});
	// Whoever reads "deleted" takes it for gone.
	if (!failed) expect(surroundings.hooksAt(url)).toEqual([]);
	return {
		happens: `${failed ? 'Told as failed' : 'Told as done'}. Then at the service: ${stateOf(surroundings)}.`,
		sees: shownBy(run),
	};
}
