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
	subscriptionsAtOtherUrls,
	type DesiredSubscriptions,
} from '../../../nodes/DeliveryService/trigger/diff';
import {
	ConflictError,
	reconcile,
	StillBlacklistedError,
	UnlistedError,
} from '../../../nodes/DeliveryService/trigger/subscriptions';
import {
	removeOwnSubscriptions,
	type Leftover,
} from '../../../nodes/DeliveryService/trigger/removal';
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
/** Another workflow's, with the same webhook ID and so the same webhook URL. */
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

async function leftoverOf(...parameters: Parameters<typeof removeOwnSubscriptions>) {
	return (await removeOwnSubscriptions(...parameters)).leftover;
}

function listed(subscription: Subscription, status = 'active'): Webhook {
	return { ...subscription, status, raw: {} };
}

/** An in-webhooks list of webhooks that records each change in order. */
class FakeWebhooks implements Webhooks {
	readonly changes: string[] = [];

	constructor(
		public hooks: Webhook[],
		private readonly rejected: readonly Subscription[] = [],
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
		const remaining = this.hooks.filter((hook) => !isSame(hook, subscription));
		const found = remaining.length < this.hooks.length;
		this.hooks = remaining;
		return Promise.resolve(change(found));
	}

	private check(subscription: Subscription): void {
		if (this.rejected.some((one) => isSame(one, subscription)))
			throw new Error(`rejected: ${nameOf(subscription)}`);
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

async function reconciled(webhooks: FakeWebhooks): Promise<Leftover | undefined> {
	return (await reconcile(webhooks, desired)).leftover;
}

test('subscriptionsFor returns one subscription per event, signed when there is a signer', () => {
	expect(subscriptionsFor(desired)).toEqual([created, updated]);
	expect(subscriptionsFor({ ...owner, events: ['createRoute'] })).toEqual([
		{ url: `${webhookUrl}?event=createRoute&workflow=w1`, action: 2 },
	]);
});

describe('subscriptionsAtOtherUrls', () => {
	const at = (base: string) =>
		listed({ url: created.url.replace('https://n8n.example/webhook', base), action: 1 });
	const find = (base: string, changes: Partial<DesiredSubscriptions> = {}) =>
		subscriptionsAtOtherUrls({ ...desired, ...changes }, [at(base)]);

	test.each([
		'https://x.example/webhook',
		'http://n8n.example/webhook',
		'https://n8n.example:5678/webhook',
		'https://n8n.example/n8n/webhook',
		'https://n8n.example/hooks',
		'https://n8n.example',
	])('finds the URL of the node at %s', (base) => {
		expect(find(base)).toEqual([at(base)]);
	});

	test('finds the former URL when n8n moved from a path, and to a URL with the usual port', () => {
		const former = listed(created);
		const moved = { ...desired, webhookUrl: 'https://n8n.example:443/n8n/webhook/abc/webhook' };
		expect(subscriptionsAtOtherUrls(moved, [former])).toEqual([former]);
	});

	test('skips the current URL, the URLs of others and invalid ones', () => {
		const list = [created, ...others, { url: 'x', action: 1 }].map((one) => listed(one));
		expect(subscriptionsAtOtherUrls(desired, list)).toEqual([]);
	});

	test('skips the test URL without a signature, and the live one while listening', () => {
		const unsigned = { ...owner, events: desired.events };
		const live = { url: eventUrlFor(owner, 'createTask'), action: 1 };
		const testUrl = webhookUrl.replace('/webhook/', '/webhook-test/');
		const test = { url: eventUrlFor({ ...owner, webhookUrl: testUrl }, 'createTask'), action: 1 };
		expect(subscriptionsAtOtherUrls(unsigned, [listed(test)])).toEqual([]);
		const listening = { ...unsigned, webhookUrl: testUrl };
		expect(subscriptionsAtOtherUrls(listening, [listed(live)])).toEqual([]);
	});
});

describe('diffSubscriptions', () => {
	test('reports all subscriptions as missing for an empty list', () => {
		expect(diffSubscriptions(desired, [])).toEqual({
			missing: [created, updated],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('reports nothing when all are listed among those of others', () => {
		const list = [...others, created, updated].map((one) => listed(one));
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('reports a missing subscription', () => {
		expect(diffSubscriptions(desired, [listed(updated)]).missing).toEqual([created]);
	});

	test('reports subscriptions of deselected events and other secrets as stale', () => {
		const list = [created, updated, routed, signedBefore].map((one) => listed(one));
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [routed, signedBefore],
			blacklisted: [],
			surplus: [],
		});
	});

	test('reports a URL that is subscribed to another event as stale', () => {
		const swapped = { url: created.url, action: 3 };
		expect(diffSubscriptions(desired, [listed(swapped)])).toEqual({
			missing: [created, updated],
			stale: [swapped],
			blacklisted: [],
			surplus: [],
		});
	});

	test('reports a blacklisted subscription as blacklisted and missing', () => {
		const list = [listed(created, 'blacklisted'), listed(updated)];
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [created],
			stale: [],
			blacklisted: [created],
			surplus: [],
		});
	});

	test('recognizes a URL whose parameters the service has reordered', () => {
		const [path = '', query = ''] = created.url.split('?');
		const reordered = { ...created, url: `${path}?${query.split('&').reverse().join('&')}` };
		expect(diffSubscriptions(desired, [listed(reordered), listed(updated)])).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('does not report a subscription as missing next to its blacklisted duplicate', () => {
		const list = [listed(created), listed(created, 'blacklisted'), listed(updated)];
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [],
			blacklisted: [created],
			surplus: [],
		});
	});

	test('reports a blacklisted subscription of a deselected event as stale', () => {
		const list = [listed(routed, 'blacklisted'), listed(created), listed(updated)];
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [routed],
			blacklisted: [],
			surplus: [],
		});
	});

	test('counts a subscription with an unknown status as working', () => {
		const list = [listed(created, 'paused'), listed(updated, '')];
		expect(diffSubscriptions(desired, list)).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('reports all but one of equal subscriptions as surplus', () => {
		const list = [listed(created), listed(created), listed(created), listed(updated)];
		expect(diffSubscriptions(desired, list)).toEqual({
			...{ missing: [], stale: [], blacklisted: [] },
			surplus: [created, created],
		});
	});

	test('recognizes URLs that the service lists encoded or escaped for HTML', () => {
		const encoded = { ...created, url: encodeURIComponent(created.url) };
		const inHtml = { ...updated, url: updated.url.replaceAll('&', '&amp;') };
		expect(diffSubscriptions(desired, [listed(encoded), listed(inHtml), listed(updated)])).toEqual({
			...{ missing: [], stale: [], blacklisted: [] },
			surplus: [updated],
		});
		const stale = { ...routed, url: encodeURIComponent(routed.url) };
		expect(diffSubscriptions(desired, [listed(stale)]).stale).toEqual([stale]);
	});

	test('ignores subscriptions of another workflow with the same webhook ID', () => {
		const list = [listed(ofCopy), listed(ofCopy, 'blacklisted')];
		expect(diffSubscriptions(desired, list)).toEqual({
			...{ missing: [created, updated], stale: [], blacklisted: [] },
			surplus: [],
		});
	});

	test('accepts the bare URL in place of an unsigned one, but not of a signed one', () => {
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

	test('reports the bare URL of a deselected event as stale after an unsigned subscription', () => {
		const bare = [1, 3, 9].map((action) => listed({ url: webhookUrl, action }));
		const before: DesiredSubscriptions = { ...owner, events: ['updateTask'], wasSubscribed: true };
		const nothing = { missing: [], stale: [], blacklisted: [], surplus: [] };
		expect(diffSubscriptions(before, bare)).toEqual({
			...nothing,
			stale: [{ url: webhookUrl, action: 1 }],
		});
		expect(diffSubscriptions({ ...before, wasSubscribed: false }, bare).stale).toEqual([]);
		expect(diffSubscriptions({ ...before, signer }, bare).stale).toEqual([]);
	});

	test('keeps the bare URL of a selected event next to the unsigned one', () => {
		const before: DesiredSubscriptions = { ...owner, events: ['updateTask'], wasSubscribed: true };
		const [own = updated] = subscriptionsFor(before);
		const found = diffSubscriptions(before, [listed(own), listed({ url: webhookUrl, action: 3 })]);
		expect(found).toEqual({ missing: [], stale: [], blacklisted: [], surplus: [] });
	});

	test('reports signed subscriptions as stale without a signer', () => {
		const unsigned: DesiredSubscriptions = { ...owner, events: ['createTask'] };
		expect(diffSubscriptions(unsigned, [listed(created)])).toEqual({
			missing: [{ url: `${webhookUrl}?event=createTask&workflow=w1`, action: 1 }],
			stale: [created],
			blacklisted: [],
			surplus: [],
		});
	});
});

describe('reconcile', () => {
	test.each<[string, Webhook[]]>([
		['is empty', []],
		['contains some of them', [listed(updated)]],
		['contains all of them', [listed(created), listed(updated)]],
		['contains stale ones', [listed(signedBefore), listed(routed), listed(routed, 'blacklisted')]],
		['contains blacklisted ones', [listed(created, 'blacklisted'), listed(updated, 'blacklisted')]],
	])('leaves the desired subscriptions and those of others in a list that %s', async (_, own) => {
		const webhooks = new FakeWebhooks([...others.map((one) => listed(one)), ...own]);
		await reconciled(webhooks);
		expect(webhooks.hooks).toHaveLength(others.length + 2);
		expect(webhooks.hooks).toEqual(
			expect.arrayContaining([...others, created, updated].map((one) => listed(one))),
		);
		expect(diffSubscriptions(desired, webhooks.hooks)).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
			surplus: [],
		});
	});

	test('reports no leftover after it has removed a stale subscription', async () => {
		await expect(reconciled(new FakeWebhooks([listed(signedBefore)]))).resolves.toBeUndefined();
	});

	test('changes nothing when all subscriptions are listed', async () => {
		const webhooks = new FakeWebhooks([listed(created), listed(updated)]);
		await reconciled(webhooks);
		expect(webhooks.changes).toEqual([]);
	});

	test('removes blacklisted subscriptions first and stale ones last', async () => {
		const webhooks = new FakeWebhooks([
			listed(signedBefore),
			listed(created, 'blacklisted'),
			listed(updated),
		]);
		await reconciled(webhooks);
		expect(webhooks.changes).toEqual(['-created', '+created', '-signedBefore']);
	});
});

describe('reconcile at an unusual service', () => {
	test('throws when a new subscription is blacklisted, and removes all new ones', async () => {
		const webhooks = new FakeWebhooks([]);
		webhooks.subscribe = (subscription) => {
			webhooks.hooks.push(
				listed(subscription, subscription.action === 3 ? 'blacklisted' : 'active'),
			);
			return Promise.resolve(change(true));
		};
		const reconciling = reconcile(webhooks, desired);
		await expect(reconciling).rejects.toBeInstanceOf(StillBlacklistedError);
		await expect(reconciling).rejects.toMatchObject({ subscriptions: [updated] });
		expect(webhooks.hooks).toEqual([]);
	});

	test('accepts a conflict (409) for a subscription that is not listed', async () => {
		const webhooks = new FakeWebhooks([listed(updated)]);
		webhooks.subscribe = () => Promise.resolve(change(false));
		await expect(reconciled(webhooks)).resolves.toBeUndefined();
	});

	test('keeps a subscription that caused a conflict when the next one fails', async () => {
		const hidden = [listed(created)];
		const webhooks = new FakeWebhooks([]);
		webhooks.subscribe = ({ action }) =>
			action === 1 ? Promise.resolve(change(false)) : Promise.reject(new Error('rejected'));
		webhooks.unsubscribe = ({ action }) => {
			if (action === 1) hidden.pop();
			return Promise.resolve(change(true));
		};
		await expect(reconciled(webhooks)).rejects.toThrow('rejected');
		expect(hidden).toHaveLength(1);
	});

	test.each<[string, (hooks: Webhook[], subscription: Subscription) => Webhook[]]>([
		[
			'removes them one by one',
			(hooks, one) => {
				const index = hooks.findIndex((hook) => isSame(hook, one));
				return hooks.filter((_, position) => position !== index);
			},
		],
		['removes all of them at once', (hooks, one) => hooks.filter((hook) => !isSame(hook, one))],
	])('leaves one of three equal subscriptions at a service that %s', async (_, remove) => {
		const webhooks = new FakeWebhooks([listed(updated), ...[1, 2, 3].map(() => listed(created))]);
		webhooks.unsubscribe = (subscription) => {
			const remaining = remove(webhooks.hooks, subscription);
			const found = remaining.length < webhooks.hooks.length;
			webhooks.hooks = remaining;
			return Promise.resolve(change(found));
		};
		await expect(reconciled(webhooks)).resolves.toBeUndefined();
		expect(webhooks.hooks.map(nameOf).sort()).toEqual(['created', 'updated']);
	});

	test('reports a leftover when the service confirms a removal but still lists the webhook', async () => {
		const webhooks = new FakeWebhooks([listed(created), listed(updated), listed(routed)]);
		webhooks.unsubscribe = () => Promise.resolve(change(true));
		const reason = new Error('The Delivery Service still lists the webhook after its removal');
		await expect(reconciled(webhooks)).resolves.toEqual({ subscriptions: [routed], reason });
		await expect(leftoverOf(webhooks, owner, { known: [], wasSubscribed: false })).resolves.toEqual(
			{
				subscriptions: [created, updated, routed],
				reason,
			},
		);
	});

	test('removes a subscription by the URL that the node wrote when it is listed encoded', async () => {
		const encoded = encodeURIComponent(routed.url);
		const webhooks = new FakeWebhooks([listed(created), listed(updated), listed(routed)]);
		const list = () => ({
			webhooks: webhooks.hooks.map((hook) =>
				isSame(hook, routed) ? { ...hook, url: encoded } : hook,
			),
			unreadable: [],
		});
		webhooks.list = () => Promise.resolve(list());
		await expect(reconciled(webhooks)).resolves.toBeUndefined();
		expect(webhooks.changes).toEqual(['-routed']);
		expect(webhooks.hooks).toHaveLength(2);
	});

	test('removes a subscription by the listed URL when the service does not know the other', async () => {
		const encoded = { ...routed, url: encodeURIComponent(routed.url) };
		const webhooks = new FakeWebhooks([listed(created), listed(updated), listed(encoded)]);
		await expect(reconciled(webhooks)).resolves.toBeUndefined();
		expect(webhooks.changes).toEqual(['-routed', `-${encoded.url}`]);
		expect(webhooks.hooks).toHaveLength(2);
	});

	test('reports a service that drops the query, and subscribes there only once', async () => {
		const webhooks = new FakeWebhooks([]);
		webhooks.subscribe = ({ action }) => {
			webhooks.hooks.push(listed({ url: webhookUrl, action }));
			return Promise.resolve(change(true));
		};
		const unchanged = { blacklisted: [], isQueryDropped: false, atOtherUrls: [] };
		await expect(reconcile(webhooks, desired)).resolves.toEqual({
			...unchanged,
			isQueryDropped: true,
		});
		const subscribedBefore = { ...desired, wasSubscribed: true };
		await expect(reconcile(webhooks, subscribedBefore)).resolves.toEqual(unchanged);
		expect(webhooks.hooks).toHaveLength(2);
	});

	test('accepts an error response when the new subscription is listed', async () => {
		const webhooks = new FakeWebhooks([listed(updated)]);
		webhooks.subscribe = (subscription) => {
			webhooks.hooks.push(listed(subscription));
			return Promise.reject(new Error('failed'));
		};
		await expect(reconciled(webhooks)).resolves.toBeUndefined();
		expect(webhooks.hooks).toHaveLength(2);
	});

	test('throws ConflictError when the service allows only one URL per event', async () => {
		const webhooks = new FakeWebhooks([listed({ url: 'https://shop.example/hook', action: 1 })]);
		webhooks.subscribe = () => Promise.resolve(change(false));
		await expect(reconciled(webhooks)).rejects.toThrow(ConflictError);
	});
});

describe('reconcile after a rejected request', () => {
	test('removes the new subscriptions and keeps the stale ones', async () => {
		const webhooks = new FakeWebhooks(
			[listed(signedBefore), listed(others[0] ?? created)],
			[updated],
		);
		const before = [...webhooks.hooks];
		await expect(reconciled(webhooks)).rejects.toThrow('rejected: updated');
		expect(webhooks.changes).toEqual(['+created', '-created']);
		expect(webhooks.hooks).toEqual(before);
	});

	test('removes a new subscription whose response was lost and that is not listed', async () => {
		const webhooks = new FakeWebhooks([]);
		webhooks.list = () => Promise.resolve({ webhooks: [], unreadable: [] });
		webhooks.subscribe = (subscription) => {
			webhooks.hooks.push(listed(subscription));
			return Promise.reject(new Error('no response'));
		};
		await expect(reconciled(webhooks)).rejects.toThrow('no response');
		expect(webhooks.hooks).toEqual([]);
	});

	test('throws the first error when removing the new subscriptions fails, too', async () => {
		const webhooks = new FakeWebhooks([], [updated]);
		webhooks.unsubscribe = () => Promise.reject(new Error('not removed'));
		await expect(reconciled(webhooks)).rejects.toThrow('rejected: updated');
	});

	test('creates nothing when a blacklisted subscription is not removed', async () => {
		const webhooks = new FakeWebhooks([listed(created, 'blacklisted')], [created]);
		await expect(reconciled(webhooks)).rejects.toThrow('rejected: created');
		expect(webhooks.changes).toEqual([]);
	});

	test('reports a stale subscription that is not removed and creates the desired ones', async () => {
		const webhooks = new FakeWebhooks([listed(signedBefore), listed(routed)], [signedBefore]);
		await expect(reconciled(webhooks)).resolves.toEqual({
			subscriptions: [signedBefore],
			reason: new Error('rejected: signedBefore'),
		});
		expect(webhooks.changes).toEqual(['+created', '+updated', '-routed']);
	});
});

describe('reconcile after a removal', () => {
	test('creates all before it reads the list, and adds nothing', async () => {
		const webhooks = new FakeWebhooks([]);
		const list = webhooks.list.bind(webhooks);
		webhooks.list = async () => {
			webhooks.changes.push('list');
			return await list();
		};
		await reconcile(webhooks, desired, true);
		expect(webhooks.changes).toEqual(['+created', '+updated', 'list']);
	});

	test.each([
		[
			'lags by one reading',
			(webhooks: Webhook[], reading: number) => (reading > 1 ? webhooks : []),
		],
		[
			'lags by two results',
			(webhooks: Webhook[], reading: number) => (reading > 2 ? webhooks : []),
		],
		[
			'omits the query of the URLs',
			(webhooks: Webhook[]) =>
				webhooks.map((one) => ({ ...one, url: one.url.replace(/\?.*/, '') })),
		],
	])('subscribes each event once when the list %s', async (_what, visible) => {
		const webhooks = new FakeWebhooks([]);
		let reading = 0;
		webhooks.list = () =>
			Promise.resolve({ webhooks: visible([...webhooks.hooks], ++reading), unreadable: [] });
		await reconcile(webhooks, desired, true);
		expect(webhooks.changes).toEqual(['+created', '+updated']);
	});

	test('corrects what it created twice', async () => {
		const webhooks = new FakeWebhooks([listed(created)]);
		webhooks.unsubscribe = (one) => {
			const index = webhooks.hooks.findIndex((hook) => isSame(hook, one));
			webhooks.hooks.splice(index, 1);
			return Promise.resolve(change(index >= 0));
		};
		await reconcile(webhooks, desired, true);
		expect(webhooks.hooks).toEqual([created, updated].map((one) => listed(one)));
	});

	test('removes what it created when another webhook is rejected', async () => {
		const webhooks = new FakeWebhooks([], [updated]);
		await expect(reconcile(webhooks, desired, true)).rejects.toThrow('rejected: updated');
		expect(webhooks.hooks).toEqual([]);
	});

	test('removes what it created when the list can not be read', async () => {
		const webhooks = new FakeWebhooks([]);
		webhooks.list = () => Promise.reject(new Error('no list'));
		await expect(reconcile(webhooks, desired, true)).rejects.toThrow('no list');
		expect(webhooks.hooks).toEqual([]);
	});
});

describe('removeOwnSubscriptions', () => {
	const nothingKnown = { known: [], wasSubscribed: false };

	test('removes every subscription of the node and none of others', async () => {
		const own = [
			listed(created),
			listed(routed, 'blacklisted'),
			listed(signedBefore),
			listed({ url: created.url, action: 3 }),
		];
		const webhooks = new FakeWebhooks([...others.map((one) => listed(one)), ...own]);
		await expect(leftoverOf(webhooks, owner, nothingKnown)).resolves.toBeUndefined();
		expect(webhooks.hooks).toEqual(others.map((one) => listed(one)));
		expect(webhooks.changes).toHaveLength(own.length);
	});

	test.each([
		{ lists: 2, leftover: undefined },
		{ lists: 3, leftover: { subscriptions: [created], reason: expect.any(Error) } },
	])('rechecks a list that contains removed webhooks $lists times', async ({ lists, leftover }) => {
		const webhooks = new FakeWebhooks([listed(created)]);
		const responses = Array.from({ length: 1 + lists }, () => [listed(created)]);
		webhooks.list = () => Promise.resolve({ webhooks: responses.shift() ?? [], unreadable: [] });
		const time = new VirtualTime();
		const removing = time.until(leftoverOf(webhooks, owner, nothingKnown, time));
		await expect(removing).resolves.toEqual(leftover);
		expect(webhooks.changes).toEqual(['-created']);
	});

	test('accepts that a subscription no longer exists', async () => {
		const webhooks = new FakeWebhooks([listed(created), listed(created), listed(updated)]);
		await expect(leftoverOf(webhooks, owner, nothingKnown)).resolves.toBeUndefined();
		expect(webhooks.hooks).toEqual([]);
	});

	test('removes the others when one request is rejected, and reports that one', async () => {
		const webhooks = new FakeWebhooks([listed(created), listed(updated)], [created]);
		await expect(leftoverOf(webhooks, owner, nothingKnown)).resolves.toEqual({
			subscriptions: [created],
			reason: new Error('rejected: created'),
		});
		expect(webhooks.hooks).toEqual([listed(created)]);
	});

	test('removes a known subscription that is listed twice', async () => {
		const webhooks = new FakeWebhooks([listed(created), listed(created)]);
		webhooks.unsubscribe = (one) => {
			const index = webhooks.hooks.findIndex((hook) => isSame(hook, one));
			if (index >= 0) webhooks.hooks.splice(index, 1);
			return Promise.resolve(change(index >= 0));
		};
		const options = { known: [created], wasSubscribed: true };
		await expect(leftoverOf(webhooks, owner, options)).resolves.toBeUndefined();
		expect(webhooks.hooks).toEqual([]);
	});

	test('removes the others when a known one is rejected, and reports that one', async () => {
		const webhooks = new FakeWebhooks([listed(created), listed(routed)], [created]);
		const options = { known: [created], wasSubscribed: true };
		await expect(leftoverOf(webhooks, owner, options)).resolves.toEqual({
			subscriptions: [created],
			reason: new Error('rejected: created'),
		});
		expect(webhooks.hooks).toEqual([listed(created)]);
	});

	test('removes unlisted subscriptions only if they were subscribed', async () => {
		const webhooks = new FakeWebhooks([listed(created), listed(updated)]);
		webhooks.list = () => Promise.resolve({ webhooks: [listed(updated)], unreadable: [] });
		const known = [created, updated];
		await leftoverOf(webhooks, owner, { known, wasSubscribed: false });
		expect(webhooks.changes).toEqual(['-updated']);
		await leftoverOf(webhooks, owner, { known, wasSubscribed: true });
		expect(webhooks.changes.slice(1)).toEqual(['-created', '-updated', '-updated']);
		expect(webhooks.hooks).toEqual([]);
	});

	test('removes the known subscriptions when listing fails, and reports the reason', async () => {
		const webhooks = new FakeWebhooks([listed(created), listed(updated)], [updated]);
		const reason = new Error('no list');
		webhooks.list = () => Promise.reject(reason);
		await expect(
			leftoverOf(webhooks, owner, { ...nothingKnown, known: [created, updated] }),
		).resolves.toEqual({
			subscriptions: [updated],
			reason,
		});
		expect(webhooks.hooks).toEqual([listed(updated)]);
		await expect(
			leftoverOf(webhooks, owner, { ...nothingKnown, known: [created] }),
		).resolves.toEqual({
			subscriptions: [],
			reason,
		});
	});
});

describe('a confirmed subscription that the service does not list', () => {
	/** Confirms subscriptions without storing them. */
	class ForgetfulWebhooks extends FakeWebhooks {
		override subscribe({ url, action }: Subscription): Promise<SubscriptionChange> {
			this.changes.push(`+${nameOf({ url, action })}`);
			return Promise.resolve(change(true));
		}
	}

	test('fails, removes what was confirmed and keeps the earlier subscription', async () => {
		const webhooks = new ForgetfulWebhooks([listed(signedBefore)]);

		await expect(reconcile(webhooks, desired)).rejects.toThrow(UnlistedError);

		expect(webhooks.changes.filter((name) => name.startsWith('+'))).toHaveLength(2);
		expect(webhooks.hooks).toEqual([listed(signedBefore)]);
	});
});
