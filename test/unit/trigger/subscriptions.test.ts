import type { Subscription } from '../../../nodes/DeliveryService/service/requests';
import type {
	SubscriptionChange,
	WebhookList,
	Webhook,
	Webhooks,
} from '../../../nodes/DeliveryService/service/webhooks';
import { eventUrlFor, type TriggerOwner } from '../../../nodes/DeliveryService/trigger/eventUrls';
import {
	diffSubscriptions,
	subscriptionsFor,
	subscriptionsAtOtherHosts,
	type DesiredSubscriptions,
} from '../../../nodes/DeliveryService/trigger/diff';
import {
	ConflictError,
	reconcile,
	removeOwnSubscriptions,
	StillBlacklistedError,
	type Leftover,
} from '../../../nodes/DeliveryService/trigger/subscriptions';
import { VirtualTime } from '../../support/virtualTime';

const webhookUrl = 'https://n8n.example/webhook/abc/webhook';
const signer = { secret: 's3cret', identity: 'live\nw1\n42' };
const owner: TriggerOwner = { webhookUrl, workflowId: 'w1' };
const desired: DesiredSubscriptions = { ...owner, events: ['createTask', 'updateTask'], signer };

const created = { url: eventUrlFor(owner, 'createTask', signer), action: 1 };
const routed = { url: eventUrlFor(owner, 'createRoute', signer), action: 2 };
const updated = { url: eventUrlFor(owner, 'updateTask', signer), action: 3 };
const signedBefore = {
	url: eventUrlFor(owner, 'createTask', { ...signer, secret: 'old' }),
	action: 1,
};
/** Of another workflow with the same webhook ID, and so with the same URL. */
const ofCopy = {
	url: eventUrlFor({ ...owner, workflowId: 'w2' }, 'createTask', signer),
	action: 1,
};
const ofNoWorkflow = {
	url: `${webhookUrl}?event=createTask&signature=${'f0'.repeat(32)}`,
	action: 1,
};
const others = [
	ofCopy,
	ofNoWorkflow,
	{ url: 'https://n8n.example/webhook/other/webhook?event=createTask', action: 1 },
	{ url: `${webhookUrl}?event=createTask&mine=1`, action: 1 },
	{ url: 'https://shop.example/hook', action: 3 },
];

function listed(subscription: Subscription, status = 'active'): Webhook {
	return { ...subscription, status, raw: {} };
}

/** The service's list, kept in memory, with a note of each change in order. */
class Memory implements Webhooks {
	readonly changes: string[] = [];

	constructor(
		public hooks: Webhook[],
		private readonly refused: readonly Subscription[] = [],
	) {}

	list(): Promise<WebhookList> {
		return Promise.resolve({ webhooks: [...this.hooks], unreadable: [] });
	}

	subscribe(subscription: Subscription): Promise<SubscriptionChange> {
		this.check(subscription);
		this.changes.push(`+${nameOf(subscription)}`);
		this.hooks.push(listed(subscription));
		return Promise.resolve(change(true));
	}

	unsubscribe(subscription: Subscription): Promise<SubscriptionChange> {
		this.check(subscription);
		this.changes.push(`-${nameOf(subscription)}`);
		const left = this.hooks.filter((hook) => !isSame(hook, subscription));
		const found = left.length < this.hooks.length;
		this.hooks = left;
		return Promise.resolve(change(found));
	}

	private check(subscription: Subscription): void {
		if (this.refused.some((one) => isSame(one, subscription)))
			throw new Error(`refused: ${nameOf(subscription)}`);
	}
}

function change(isDone: boolean): SubscriptionChange {
	return { isDone, detail: isDone ? '' : 'The service says: no' };
}

function isSame(one: Subscription, other: Subscription): boolean {
	return one.url === other.url && one.action === other.action;
}

const names = new Map([
	[created.url, 'created'],
	[routed.url, 'routed'],
	[updated.url, 'updated'],
	[signedBefore.url, 'signedBefore'],
]);

function nameOf({ url }: Subscription): string {
	return names.get(url) ?? url;
}

async function reconciled(memory: Memory): Promise<Leftover | undefined> {
	return (await reconcile(memory, desired)).leftover;
}

test('a trigger wants one subscription an event, signed when it has a signer', () => {
	expect(subscriptionsFor(desired)).toEqual([created, updated]);
	expect(subscriptionsFor({ ...owner, events: ['createRoute'] })).toEqual([
		{ url: `${webhookUrl}?event=createRoute&workflow=w1`, action: 2 },
	]);
});

test('what is listed at another address of n8n is told from what cannot be read', () => {
	const there = {
		url: created.url.replace(new URL(webhookUrl).origin, 'https://x.example'),
		action: 1,
	};
	const list = [listed(created), listed(there), listed({ url: 'x', action: 1 })];
	expect(subscriptionsAtOtherHosts(desired, list)).toEqual([listed(there)]);
});

describe('what there is to do', () => {
	test('is to subscribe to everything when nothing is there', () => {
		expect(diffSubscriptions(desired, [])).toEqual({
			missing: [created, updated],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('is nothing when everything is there, whatever else is listed', () => {
		const list = [...others, created, updated].map((one) => listed(one));
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('is to subscribe to what is missing', () => {
		expect(diffSubscriptions(desired, [listed(updated)]).missing).toEqual([created]);
	});

	test('is to remove what is of this node but no longer desired', () => {
		const list = [created, updated, routed, signedBefore].map((one) => listed(one));
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [routed, signedBefore],
			blacklisted: [],
			surplus: [],
		});
	});

	test('is to remove an address that is subscribed to another event than it names', () => {
		const swapped = { url: created.url, action: 3 };
		expect(diffSubscriptions(desired, [listed(swapped)])).toEqual({
			missing: [created, updated],
			stale: [swapped],
			blacklisted: [],
			surplus: [],
		});
	});

	test('is to make anew what the service has stopped calling', () => {
		const list = [listed(created, 'blacklisted'), listed(updated)];
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [created],
			stale: [],
			blacklisted: [created],
			surplus: [],
		});
	});

	test('is nothing for an address that the service lists in another order', () => {
		const [path = '', query = ''] = created.url.split('?');
		const reordered = { ...created, url: `${path}?${query.split('&').reverse().join('&')}` };
		expect(diffSubscriptions(desired, [listed(reordered), listed(updated)])).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('is to remove only the blacklisted one of two', () => {
		const list = [listed(created), listed(created, 'blacklisted'), listed(updated)];
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [],
			blacklisted: [created],
			surplus: [],
		});
	});

	test('is only to remove what is not desired and blacklisted', () => {
		const list = [listed(routed, 'blacklisted'), listed(created), listed(updated)];
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [routed],
			blacklisted: [],
			surplus: [],
		});
	});

	test('leaves a subscription with a status that nobody knows', () => {
		const list = [listed(created, 'paused'), listed(updated, '')];
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('is to remove what is there twice, but once', () => {
		const list = [listed(created), listed(created), listed(created), listed(updated)];
		expect(diffSubscriptions(desired, list)).toEqual({
			...{ missing: [], stale: [], blacklisted: [] },
			surplus: [created, created],
		});
	});

	test('counts an address in the form in which the service lists it', () => {
		const encoded = { ...created, url: encodeURIComponent(created.url) };
		const inHtml = { ...updated, url: updated.url.replaceAll('&', '&amp;') };
		expect(diffSubscriptions(desired, [listed(encoded), listed(inHtml), listed(updated)])).toEqual({
			...{ missing: [], stale: [], blacklisted: [] },
			surplus: [updated],
		});
		const stale = { ...routed, url: encodeURIComponent(routed.url) };
		expect(diffSubscriptions(desired, [listed(stale)]).stale).toEqual([stale]);
	});

	test('leaves what another workflow with the same webhook ID has subscribed', () => {
		const list = [listed(ofCopy), listed(ofCopy, 'blacklisted')];
		expect(diffSubscriptions(desired, list)).toEqual({
			...{ missing: [created, updated], stale: [], blacklisted: [] },
			surplus: [],
		});
	});

	test('takes the bare URL for its own when addresses are not signed, unless its own is there', () => {
		const bare = listed({ url: webhookUrl, action: 1 });
		const unsigned: DesiredSubscriptions = { ...owner, events: ['createTask'] };
		const [own = created] = subscriptionsFor(unsigned);
		const nothing = { missing: [], stale: [], blacklisted: [], surplus: [] };
		expect(diffSubscriptions(unsigned, [bare])).toEqual(nothing);
		expect(diffSubscriptions(unsigned, [bare, listed(own)])).toEqual(nothing);
		expect(
			diffSubscriptions({ ...unsigned, events: ['createRoute'] }, [bare]).missing,
		).toHaveLength(1);
		expect(diffSubscriptions(desired, [bare]).missing).toEqual([created, updated]);
	});

	test('is to remove the bare URL for what is not chosen, once it was subscribed without signature', () => {
		const bare = [1, 3, 9].map((action) => listed({ url: webhookUrl, action }));
		const former: DesiredSubscriptions = { ...owner, events: ['updateTask'], wasSubscribed: true };
		const nothing = { missing: [], stale: [], blacklisted: [], surplus: [] };
		expect(diffSubscriptions(former, bare)).toEqual({
			...nothing,
			stale: [{ url: webhookUrl, action: 1 }],
		});
		expect(diffSubscriptions({ ...former, wasSubscribed: false }, bare).stale).toEqual([]);
		expect(diffSubscriptions({ ...former, signer }, bare).stale).toEqual([]);
	});

	test('is not to remove the bare URL beside its own for what is chosen', () => {
		const former: DesiredSubscriptions = { ...owner, events: ['updateTask'], wasSubscribed: true };
		const [own = updated] = subscriptionsFor(former);
		const found = diffSubscriptions(former, [listed(own), listed({ url: webhookUrl, action: 3 })]);
		expect(found).toEqual({ missing: [], stale: [], blacklisted: [], surplus: [] });
	});

	test('is without signatures when addresses are not signed, and signed ones are stale', () => {
		const unsigned: DesiredSubscriptions = { ...owner, events: ['createTask'] };
		expect(diffSubscriptions(unsigned, [listed(created)])).toEqual({
			missing: [{ url: `${webhookUrl}?event=createTask&workflow=w1`, action: 1 }],
			stale: [created],
			blacklisted: [],
			surplus: [],
		});
	});
});

describe('after reconciling', () => {
	test.each<[string, Webhook[]]>([
		['was empty', []],
		['held some', [listed(updated)]],
		['held all', [listed(created), listed(updated)]],
		['held stale ones', [listed(signedBefore), listed(routed), listed(routed, 'blacklisted')]],
		['held blacklisted ones', [listed(created, 'blacklisted'), listed(updated, 'blacklisted')]],
	])('the list that %s holds what is desired and what is of others', async (_, own) => {
		const memory = new Memory([...others.map((one) => listed(one)), ...own]);
		await reconciled(memory);
		expect(memory.hooks).toHaveLength(others.length + 2);
		expect(memory.hooks).toEqual(
			expect.arrayContaining([...others, created, updated].map((one) => listed(one))),
		);
		expect(diffSubscriptions(desired, memory.hooks)).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('nothing is left over', async () => {
		await expect(reconciled(new Memory([listed(signedBefore)]))).resolves.toBeUndefined();
	});

	test('nothing was asked of the service when all was there', async () => {
		const memory = new Memory([listed(created), listed(updated)]);
		await reconciled(memory);
		expect(memory.changes).toEqual([]);
	});

	test('blacklisted ones were removed first, and stale ones last', async () => {
		const memory = new Memory([
			listed(signedBefore),
			listed(created, 'blacklisted'),
			listed(updated),
		]);
		await reconciled(memory);
		expect(memory.changes).toEqual(['-created', '+created', '-signedBefore']);
	});
});

describe('a service', () => {
	test('that calls a new subscription no more is an error, and none stays that was made', async () => {
		const memory = new Memory([]);
		memory.subscribe = (subscription) => {
			memory.hooks.push(listed(subscription, subscription.action === 3 ? 'blacklisted' : 'active'));
			return Promise.resolve(change(true));
		};
		const reconciling = reconcile(memory, desired);
		await expect(reconciling).rejects.toBeInstanceOf(StillBlacklistedError);
		await expect(reconciling).rejects.toMatchObject({ subscriptions: [updated] });
		expect(memory.hooks).toEqual([]);
	});

	test('that knows a subscription already (409) has made it', async () => {
		const memory = new Memory([listed(updated)]);
		memory.subscribe = () => Promise.resolve(change(false));
		await expect(reconciled(memory)).resolves.toBeUndefined();
	});

	test('that knows one already and refuses the next keeps the first', async () => {
		const hidden = [listed(created)];
		const memory = new Memory([]);
		memory.subscribe = ({ action }) =>
			action === 1 ? Promise.resolve(change(false)) : Promise.reject(new Error('no'));
		memory.unsubscribe = ({ action }) => {
			if (action === 1) hidden.pop();
			return Promise.resolve(change(true));
		};
		await expect(reconciled(memory)).rejects.toThrow('no');
		expect(hidden).toHaveLength(1);
	});

	test.each<[string, (hooks: Webhook[], subscription: Subscription) => Webhook[]]>([
		[
			'removes them one by one',
			(hooks, one) => {
				const place = hooks.findIndex((hook) => isSame(hook, one));
				return hooks.filter((_, position) => position !== place);
			},
		],
		['removes all of them at once', (hooks, one) => hooks.filter((hook) => !isSame(hook, one))],
	])('that has three equal subscriptions and %s has one in the end', async (_, remove) => {
		const memory = new Memory([listed(updated), ...[1, 2, 3].map(() => listed(created))]);
		memory.unsubscribe = (subscription) => {
			const left = remove(memory.hooks, subscription);
			const found = left.length < memory.hooks.length;
			memory.hooks = left;
			return Promise.resolve(change(found));
		};
		await expect(reconciled(memory)).resolves.toBeUndefined();
		expect(memory.hooks.map(nameOf).sort()).toEqual(['created', 'updated']);
	});

	test('that confirms and removes nothing is told apart', async () => {
		const memory = new Memory([listed(created), listed(updated), listed(routed)]);
		memory.unsubscribe = () => Promise.resolve(change(true));
		const reason = new Error('The Delivery Service still lists what it was asked to remove');
		await expect(reconciled(memory)).resolves.toEqual({ subscriptions: [routed], reason });
		await expect(
			removeOwnSubscriptions(memory, owner, { exact: [], wasSubscribed: false }),
		).resolves.toEqual({
			subscriptions: [created, updated, routed],
			reason,
		});
	});

	test('that lists a subscription in another form is asked for it as it was made', async () => {
		const encoded = encodeURIComponent(routed.url);
		const memory = new Memory([listed(created), listed(updated), listed(routed)]);
		const list = () => ({
			webhooks: memory.hooks.map((hook) =>
				isSame(hook, routed) ? { ...hook, url: encoded } : hook,
			),
			unreadable: [],
		});
		memory.list = () => Promise.resolve(list());
		await expect(reconciled(memory)).resolves.toBeUndefined();
		expect(memory.changes).toEqual(['-routed']);
		expect(memory.hooks).toHaveLength(2);
	});

	test('that knows a subscription only in the form in which it lists it is asked for that', async () => {
		const encoded = { ...routed, url: encodeURIComponent(routed.url) };
		const memory = new Memory([listed(created), listed(updated), listed(encoded)]);
		await expect(reconciled(memory)).resolves.toBeUndefined();
		expect(memory.changes).toEqual(['-routed', `-${encoded.url}`]);
		expect(memory.hooks).toHaveLength(2);
	});

	test('that drops the query of an address is found out, and subscribed to but once', async () => {
		const memory = new Memory([]);
		memory.subscribe = ({ action }) => {
			memory.hooks.push(listed({ url: webhookUrl, action }));
			return Promise.resolve(change(true));
		};
		const nothing = { blacklisted: [], isQueryDropped: false, twins: [] };
		await expect(reconcile(memory, desired)).resolves.toEqual({ ...nothing, isQueryDropped: true });
		const remembered = { ...desired, wasSubscribed: true };
		await expect(reconcile(memory, remembered)).resolves.toEqual(nothing);
		expect(memory.hooks).toHaveLength(2);
	});

	test('that fails after it has subscribed has subscribed', async () => {
		const memory = new Memory([listed(updated)]);
		memory.subscribe = (subscription) => {
			memory.hooks.push(listed(subscription));
			return Promise.reject(new Error('failed'));
		};
		await expect(reconciled(memory)).resolves.toBeUndefined();
		expect(memory.hooks).toHaveLength(2);
	});

	test('that takes one address for an event only is not taken for done', async () => {
		const memory = new Memory([listed({ url: 'https://shop.example/hook', action: 1 })]);
		memory.subscribe = () => Promise.resolve(change(false));
		await expect(reconciled(memory)).rejects.toThrow(ConflictError);
	});
});

describe('when the service refuses', () => {
	test('a subscription, none that was tried stays, and the stale ones do', async () => {
		const memory = new Memory([listed(signedBefore), listed(others[0] ?? created)], [updated]);
		const before = [...memory.hooks];
		await expect(reconciled(memory)).rejects.toThrow('refused: updated');
		expect(memory.changes).toEqual(['+created', '-created']);
		expect(memory.hooks).toEqual(before);
	});

	test('a subscription whose answer was lost, and lists nothing, it is removed too', async () => {
		const memory = new Memory([]);
		memory.list = () => Promise.resolve({ webhooks: [], unreadable: [] });
		memory.subscribe = (subscription) => {
			memory.hooks.push(listed(subscription));
			return Promise.reject(new Error('no answer'));
		};
		await expect(reconciled(memory)).rejects.toThrow('no answer');
		expect(memory.hooks).toEqual([]);
	});

	test('to remove again what was made, the first refusal is the one that is told', async () => {
		const memory = new Memory([], [updated]);
		memory.unsubscribe = () => Promise.reject(new Error('refused to remove'));
		await expect(reconciled(memory)).rejects.toThrow('refused: updated');
	});

	test('to remove a blacklisted subscription, nothing is made', async () => {
		const memory = new Memory([listed(created, 'blacklisted')], [created]);
		await expect(reconciled(memory)).rejects.toThrow('refused: created');
		expect(memory.changes).toEqual([]);
	});

	test('to remove a stale one, it is named, and the desired ones are there', async () => {
		const memory = new Memory([listed(signedBefore), listed(routed)], [signedBefore]);
		await expect(reconciled(memory)).resolves.toEqual({
			subscriptions: [signedBefore],
			reason: new Error('refused: signedBefore'),
		});
		expect(memory.changes).toEqual(['+created', '+updated', '-routed']);
	});
});

describe('removing', () => {
	const unknown = { exact: [], wasSubscribed: false };

	test("takes every subscription of the node's own address, and none of others", async () => {
		const own = [
			listed(created),
			listed(routed, 'blacklisted'),
			listed(signedBefore),
			listed({ url: created.url, action: 3 }),
		];
		const memory = new Memory([...others.map((one) => listed(one)), ...own]);
		await expect(removeOwnSubscriptions(memory, owner, unknown)).resolves.toBeUndefined();
		expect(memory.hooks).toEqual(others.map((one) => listed(one)));
		expect(memory.changes).toHaveLength(own.length);
	});

	test.each([
		{ looks: 2, left: undefined },
		{ looks: 3, left: { subscriptions: [created], reason: expect.any(Error) } },
	])('waits a little for a list that still shows them in $looks looks', async ({ looks, left }) => {
		const memory = new Memory([listed(created)]);
		const answers = Array.from({ length: 1 + looks }, () => [listed(created)]);
		memory.list = () => Promise.resolve({ webhooks: answers.shift() ?? [], unreadable: [] });
		const time = new VirtualTime();
		const removing = time.until(removeOwnSubscriptions(memory, owner, unknown, time));
		await expect(removing).resolves.toEqual(left);
		expect(memory.changes).toEqual(['-created']);
	});

	test('does not mind one that is gone already', async () => {
		const memory = new Memory([listed(created), listed(created), listed(updated)]);
		await expect(removeOwnSubscriptions(memory, owner, unknown)).resolves.toBeUndefined();
		expect(memory.hooks).toEqual([]);
	});

	test('removes the others when one is refused, and names that one', async () => {
		const memory = new Memory([listed(created), listed(updated)], [created]);
		await expect(removeOwnSubscriptions(memory, owner, unknown)).resolves.toEqual({
			subscriptions: [created],
			reason: new Error('refused: created'),
		});
		expect(memory.hooks).toEqual([listed(created)]);
	});

	test('tries what was subscribed when the list does not show it', async () => {
		const memory = new Memory([listed(created), listed(updated)]);
		memory.list = () => Promise.resolve({ webhooks: [listed(updated)], unreadable: [] });
		const exact = [created, updated];
		await removeOwnSubscriptions(memory, owner, { exact, wasSubscribed: false });
		expect(memory.changes).toEqual(['-updated']);
		await removeOwnSubscriptions(memory, owner, { exact, wasSubscribed: true });
		expect(memory.changes.slice(1)).toEqual(['-updated', '-created']);
		expect(memory.hooks).toEqual([]);
	});

	test('tries what is known when the list cannot be read, and tells why', async () => {
		const memory = new Memory([listed(created), listed(updated)], [updated]);
		const reason = new Error('no list');
		memory.list = () => Promise.reject(reason);
		await expect(
			removeOwnSubscriptions(memory, owner, { ...unknown, exact: [created, updated] }),
		).resolves.toEqual({
			subscriptions: [updated],
			reason,
		});
		expect(memory.hooks).toEqual([listed(updated)]);
		await expect(
			removeOwnSubscriptions(memory, owner, { ...unknown, exact: [created] }),
		).resolves.toEqual({
			subscriptions: [],
			reason,
		});
	});
});
