/** The trigger's life under each reading of what the document says of webhooks. */
import { webhookReadings } from '../../playground/service/readings/webhooks';
import { setUpTriggers, updated } from '../support/triggerNode';

const service = setUpTriggers();
const { open, list } = service;
const foreign = 'https://shop.example/hook';

/** What keeps the trigger from being subscribed; the error says so. */
const refusals: Readonly<Record<string, RegExp>> = {
	'subscribe-code-error': /did not do what was asked for \(code ERROR\)/,
	'subscribe-403': /does not allow this/,
	'subscribe-event-409': /no further address/,
};
/** What no unsubscription of ours can take off. */
const cannotRemove = new Set(['unsubscribe-ignored', 'unsubscribe-400']);

const own = (url: string) => list().filter((hook) => decodeURIComponent(hook.url).startsWith(url));

test.each(Object.keys(webhookReadings))(
	'%s: it is turned on and off, once, and leaves others alone',
	async (reading) => {
		// Some readings are of a list of none.
		const others = reading.startsWith('list-none') ? [] : [foreign];
		for (const url of others) await service.subscribe(url);
		service.control.settings({ reading });
		const trigger = await open();
		const refusal = refusals[reading];
		if (refusal) {
			await expect(trigger.activate()).rejects.toThrow(refusal);
			expect(list()).toMatchObject([{ url: foreign }]);
			return;
		}

		await trigger.activate();
		const subscribed = own(trigger.url);
		await trigger.activate('init');
		const again = own(trigger.url);
		const before = trigger.executions.length;
		const [answered] = (await service.control.fireEvent(3, updated)).filter(
			({ url }) => url !== foreign,
		);
		await trigger.settled();
		const started = trigger.executions.slice(before);
		expect(await trigger.deactivate()).toBeUndefined();

		expect(subscribed).toMatchObject([{ status: 'Active' }]);
		expect(again).toEqual(subscribed);
		// Without its query, a call cannot be told from a forged one.
		const arrives = reading !== 'query-dropped';
		expect(answered).toMatchObject({ status: arrives ? 200 : 401 });
		expect(started.flatMap(({ workflowData }) => workflowData[0]?.map(({ json }) => json))).toEqual(
			arrives ? [{ event: 'updateTask', eventCode: 3, ...updated }] : [],
		);
		expect(own(trigger.url)).toHaveLength(cannotRemove.has(reading) ? 1 : 0);
		expect(service.warnings().join().includes('may remain')).toBe(
			cannotRemove.has(reading) || reading === 'list-403',
		);
		expect(list().filter(({ url }) => url === foreign)).toHaveLength(others.length);
	},
);
