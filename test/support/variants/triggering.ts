import { testCredential, type Trigger } from '../engine/engine';
import { updated } from '../triggerNode';
import type { Observation, Surroundings } from './surroundings';

/** Variants under which the service takes no subscription at all: then the refusal must say why. */
const takesNone = /^(all-|subscribe-403$|subscribe-code-error$|subscribe-event-409$)/;

/** Variants under which a subscription is made and its answer tells otherwise: either is right. */
const tellsOtherwise = /^(subscribed-500|list-403)$/;

/** Variants under which no signature arrives, or seems to: then the refusal must say what to do. */
const losesSignature = /^query-dropped/;

/** Variants under which the service calls twice, or an event when it subscribes. */
const eventsOf = (variant: string): number => (variant === 'event-twice' ? 2 : 1);

/** Variants under which nothing can be unsubscribed, or nobody can tell. */
const keepsAll = /^(all-|unsubscribe-ignored$|unsubscribe-400$)/;

const messageOf = (error: unknown): string => {
	if (!(error instanceof Error)) throw error;
	const description = 'description' in error ? error.description : undefined;
	return [error.message, description].filter(Boolean).join(' — ');
};

/** Publishes a workflow with the trigger; gives what the user reads when that fails. */
async function turnOn(surroundings: Surroundings, trigger: Trigger): Promise<string | undefined> {
	const before = surroundings.control.requests().length;
	try {
		await trigger.activate();
		return undefined;
	} catch (error) {
		const message = messageOf(error);
		// The clean-up after a failure may meet refusals of its own.
		const [words] = surroundings.refusals(before);
		if (words !== undefined) expect(message).toContain(words);
		surroundings.assertHarmless([message]);
		return message;
	}
}

/** Publishes a workflow with the trigger under a variant. */
async function turnedOn(
	surroundings: Surroundings,
	variant: string,
): Promise<{ trigger: Trigger; refusal: string | undefined }> {
	const trigger = await surroundings.openTrigger();
	surroundings.choose(variant);
	return { trigger, refusal: await turnOn(surroundings, trigger) };
}

const statesAt = (surroundings: Surroundings, { url }: Trigger): string[] =>
	surroundings.hooksAt(url).map(({ action, status }) => `${action} ${status}`);

/** Turns the trigger on. */
export async function observeTurningOn(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	const { trigger, refusal } = await turnedOn(surroundings, variant);
	surroundings.assertHarmless([]);
	if (refusal !== undefined) {
		if (losesSignature.test(variant)) expect(refusal).toContain('Signed Addresses');
		else expect(variant).toMatch(new RegExp(`${takesNone.source}|${tellsOtherwise.source}`));
		return {
			happens: `Refused. Then at the service: ${statesAt(surroundings, trigger).length} subscriptions.`,
			sees: [refusal],
		};
	}
	expect(variant).not.toMatch(takesNone);
	expect(statesAt(surroundings, trigger).sort()).toEqual(['1 Active', '3 Active']);
	return { happens: 'On, with one subscription an event.', sees: surroundings.warnings() };
}

/** Turns the trigger on and has an event happen. */
export async function observeReceiving(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	const { trigger, refusal } = await turnedOn(surroundings, variant);
	if (refusal !== undefined) return { happens: 'Could not be turned on.', sees: [refusal] };
	await trigger.settled();
	const before = trigger.executions.length;

	const postings = await surroundings.control.fireEvent(3, updated, { companyId: 1001 });
	await trigger.settled();

	const started = trigger.executions.slice(before);
	const own = postings.filter(({ url }) => url.startsWith(trigger.url));
	surroundings.assertHarmless([]);
	if (variant === 'query-dropped') {
		expect(started).toEqual([]);
		expect(surroundings.warnings().join('\n')).toContain('Signed Addresses');
	} else expect(started).toHaveLength(eventsOf(variant));
	for (const { workflowData } of started)
		expect(workflowData[0]?.[0]?.json).toMatchObject({ event: 'updateTask', id: 'T1' });
	const expected = variant === 'query-dropped' ? 401 : 200;
	expect(own.every(({ status }) => status === expected)).toBe(true);
	return {
		happens: `${started.length === 0 ? 'Starts nothing' : started.length === 1 ? 'Starts the workflow' : `Starts the workflow ${started.length} times`}, answered ${[...new Set(own.map(({ status }) => status))].join(', ')}.`,
		sees: surroundings.warnings(),
	};
}

/** Turns the trigger on and off, twice. */
export async function observeTurningOff(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	const trigger = await surroundings.openTrigger();
	surroundings.choose(variant);
	const left: number[] = [];
	let most = 0;
	for (const round of ['first', 'second']) {
		await turnOn(surroundings, trigger);
		const actions = statesAt(surroundings, trigger).map((state) => state[0]);
		most = Math.max(
			most,
			...['1', '3'].map((code) => actions.filter((one) => one === code).length),
		);
		const failure = await trigger.deactivate();
		expect({ round, failure }).toEqual({ round, failure: undefined });
		left.push(statesAt(surroundings, trigger).length);
	}
	surroundings.assertHarmless([]);
	if (left.some((count) => count > 0)) {
		// What can't be removed is said.
		expect(variant).toMatch(keepsAll);
		expect(surroundings.warnings().join('\n')).toMatch(/may remain/);
	}
	expect(most).toBeLessThanOrEqual(1);
	return {
		happens: left.every((count) => count === 0)
			? 'Off, with nothing left at the service.'
			: `Off, with ${left.join(' and then ')} subscriptions left.`,
		sees: surroundings.warnings(),
	};
}

/** Tests the credential's connection. */
export async function observeTesting(
	surroundings: Surroundings,
	variant: string,
): Promise<Observation> {
	surroundings.choose(variant);
	const before = surroundings.control.requests().length;
	const { status, message } = await testCredential(surroundings.service.credential);
	const isRefused = /^(all-|list-403$)/.test(variant);
	// A 404 may be a company that is not known, or an empty list: only the service's words tell.
	if (!variant.endsWith('-404')) expect(status).toBe(isRefused ? 'Error' : 'OK');
	if (status !== 'OK')
		for (const words of surroundings.refusals(before)) expect(message).toContain(words);
	surroundings.assertHarmless([message]);
	return { happens: status === 'OK' ? 'Connected.' : 'Told as failed.', sees: [message] };
}
