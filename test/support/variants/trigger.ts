import type { Trigger } from '../engine/engine';
import { updated } from '../triggerNode';
import type { VariantFixture } from './fixture';
import type { Observation } from './observation';
import { errorSchema, errorText } from './output';

/** Variants under which the service rejects every subscription. */
const rejectsSubscriptions = /^(all-|subscribe-(403|code-error|event-409|ignored)$)/;

/** Variants under which the URL is subscribed although a response reports an error. */
const mayRejectSubscriptions = /^(subscribed-500|list-403)$/;

/** Variants under which the signature in the query is lost, or seems to be. */
const dropsQuery = /^query-dropped/;

/** Variants under which no webhook can be removed, or it is unknown whether it was. */
const removesNothing = /^(all-|unsubscribe-ignored$|unsubscribe-400$)/;

const messageOf = (error: unknown): string => {
	if (!(error instanceof Error)) throw error;
	return errorText(errorSchema.parse(error));
};

/** Publishes the workflow of a trigger. @returns the error that the user sees, if any */
async function publish(fixture: VariantFixture, trigger: Trigger): Promise<string | undefined> {
	const before = fixture.control.requests().length;
	try {
		await trigger.activate();
		return undefined;
	} catch (error) {
		const message = messageOf(error);
		// Later messages are responses to the clean-up after the failure, which finds nothing to remove
		// if nothing was stored.
		const [cause] = fixture.failureMessages(before);
		if (cause !== undefined && !cause.startsWith('No subscription of'))
			expect(message).toContain(cause);
		fixture.expectNoHarm([message]);
		return message;
	}
}

async function publishUnder(fixture: VariantFixture, variant: string) {
	const trigger = await fixture.openTrigger();
	fixture.simulate(variant);
	return { trigger, error: await publish(fixture, trigger) };
}

const subscriptionsOf = (fixture: VariantFixture, { url }: Trigger): string[] =>
	fixture.webhooksAt(url).map(({ action, status }) => `${action} ${status}`);

/** Publishes a workflow with a trigger for two events. */
export async function observePublish(
	fixture: VariantFixture,
	variant: string,
): Promise<Observation> {
	const { trigger, error } = await publishUnder(fixture, variant);
	fixture.expectNoHarm([]);
	const subscriptions = subscriptionsOf(fixture, trigger);
	if (error !== undefined) {
		if (dropsQuery.test(variant)) expect(error).toContain('Verify Caller');
		else
			expect(variant).toMatch(
				new RegExp(`${rejectsSubscriptions.source}|${mayRejectSubscriptions.source}`),
			);
		return {
			outcome: subscriptions.length > 0 ? 'webhooks remain' : 'rejected',
			summary: `Not published; webhooks at the service: ${subscriptions.length}.`,
			messages: [error],
		};
	}
	expect(variant).not.toMatch(rejectsSubscriptions);
	expect(subscriptions.sort()).toEqual(['1 Active', '3 Active']);
	return {
		outcome: 'ok',
		summary: 'Published, with one webhook per event.',
		messages: fixture.warnings(),
	};
}

/** Publishes a workflow and fires an event. */
export async function observeEvent(fixture: VariantFixture, variant: string): Promise<Observation> {
	const { trigger, error } = await publishUnder(fixture, variant);
	if (error !== undefined)
		return { outcome: 'rejected', summary: 'Not published.', messages: [error] };
	await trigger.settled();
	const before = trigger.executions.length;

	const calls = await fixture.control.fireEvent(3, updated, { companyId: 1001 });
	await trigger.settled();

	const executions = trigger.executions.slice(before);
	const responses = calls
		.filter(({ url }) => url.startsWith(trigger.url))
		.map(({ status }) => status);
	fixture.expectNoHarm([]);
	if (variant === 'query-dropped') {
		expect(executions).toEqual([]);
		expect(fixture.warnings().join('\n')).toContain('Verify Caller');
	} else expect(executions).toHaveLength(variant === 'event-twice' ? 2 : 1);
	for (const { workflowData } of executions)
		expect(workflowData[0]?.[0]?.json).toMatchObject({ event: 'updateTask', id: 'T1' });
	const expected = variant === 'query-dropped' ? 401 : 200;
	expect(responses.every((status) => status === expected)).toBe(true);
	const count = executions.length;
	return {
		outcome: count === 0 ? 'events rejected' : count === 1 ? 'ok' : 'runs twice',
		summary: `${count === 1 ? '1 execution' : `${count} executions`}; response ${[...new Set(responses)].join(', ')}.`,
		messages: fixture.warnings(),
	};
}

/** Publishes and unpublishes a workflow, twice. */
export async function observeUnpublish(
	fixture: VariantFixture,
	variant: string,
): Promise<Observation> {
	const trigger = await fixture.openTrigger();
	fixture.simulate(variant);
	const remaining: number[] = [];
	let mostPerEvent = 0;
	for (const round of ['first', 'second']) {
		await publish(fixture, trigger);
		const actions = subscriptionsOf(fixture, trigger).map((subscription) => subscription[0]);
		for (const action of ['1', '3'])
			mostPerEvent = Math.max(
				mostPerEvent,
				actions.filter((subscribed) => subscribed === action).length,
			);
		const failure = await trigger.deactivate();
		expect({ round, failure }).toEqual({ round, failure: undefined });
		remaining.push(subscriptionsOf(fixture, trigger).length);
	}
	fixture.expectNoHarm([]);
	expect(mostPerEvent).toBeLessThanOrEqual(1);
	const isClean = remaining.every((count) => count === 0);
	if (!isClean) {
		expect(variant).toMatch(removesNothing);
		expect(fixture.warnings().join('\n')).toMatch(/may remain/);
	}
	return {
		outcome: isClean ? 'ok' : 'webhooks remain',
		summary: `Unpublished twice; webhooks at the service: ${remaining.join(', then ')}.`,
		messages: fixture.warnings(),
	};
}
