/** Publishing, receiving an event and unpublishing with every API variant of webhooks. */
import { webhookVariants } from '../../playground/service/variants/webhooks';
import { setUpTriggers, updated } from '../support/triggerNode';

const service = setUpTriggers();
const { open, list } = service;
const foreign = 'https://shop.example/hook';

/** The error when the trigger cannot subscribe. */
const errors: Readonly<Record<string, RegExp>> = {
	'subscribe-code-error': /did not complete the request \(code ERROR\)/,
	'subscribe-ignored': /confirmed the webhook for Delivery Updated but does not list it/,
	'subscribe-403': /does not allow this/,
	'subscribe-event-409': /allows only one URL per event/,
};
/** The variants in which the trigger can't unsubscribe. */
const cannotRemove = new Set(['unsubscribe-ignored', 'unsubscribe-400']);

const own = (url: string) => list().filter((hook) => decodeURIComponent(hook.url).startsWith(url));

test.each(Object.keys(webhookVariants))(
	'the trigger subscribes once, unsubscribes and keeps the webhooks of others with the variant %s',
	async (variant) => {
		// Some variants are about an empty list.
		const others = variant.startsWith('list-empty') ? [] : [foreign];
		for (const url of others) await service.subscribe(url);
		service.control.settings({ variant });
		const trigger = await open();
		const error = errors[variant];
		if (error) {
			await expect(trigger.activate()).rejects.toThrow(error);
			expect(list()).toMatchObject([{ url: foreign }]);
			return;
		}

		await trigger.activate();
		const subscribed = own(trigger.url);
		await trigger.activate('init');
		const again = own(trigger.url);
		const before = trigger.executions.length;
		const [posting] = (await service.control.fireEvent(3, updated)).filter(
			({ url }) => url !== foreign,
		);
		await trigger.settled();
		const started = trigger.executions.slice(before);
		expect(await trigger.deactivate()).toBeUndefined();

		expect(subscribed).toMatchObject([{ status: 'Active' }]);
		expect(again).toEqual(subscribed);
		// Without its query, a call has no signature.
		const arrives = variant !== 'query-dropped';
		expect(posting).toMatchObject({ status: arrives ? 200 : 401 });
		expect(started.flatMap(({ workflowData }) => workflowData[0]?.map(({ json }) => json))).toEqual(
			arrives ? [{ event: 'updateTask', ...updated }] : [],
		);
		expect(own(trigger.url)).toHaveLength(cannotRemove.has(variant) ? 1 : 0);
		expect(service.warnings().join().includes('may remain')).toBe(
			cannotRemove.has(variant) || variant === 'list-403',
		);
		expect(list().filter(({ url }) => url === foreign)).toHaveLength(others.length);
	},
);
