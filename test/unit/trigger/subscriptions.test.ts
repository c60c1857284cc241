import type { Subscription } from '../../../nodes/DeliveryService/service/requests';
import type { Webhook, Webhooks } from '../../../nodes/DeliveryService/service/webhooks';
import { addressFor } from '../../../nodes/DeliveryService/trigger/address';
import {
	diff,
	reconcile,
	removeOwn,
	subscriptionsFor,
	type Leftover,
	type Desired,
} from '../../../nodes/DeliveryService/trigger/subscriptions';

const webhookUrl = 'https://n8n.example/webhook/abc/webhook';
const signer = { secret: 's3cret', identity: 'live\nw1' };
const desired: Desired = { webhookUrl, events: ['createTask', 'updateTask'], signer };

const created = { url: addressFor(webhookUrl, 'createTask', signer), action: 1 };
const routed = { url: addressFor(webhookUrl, 'createRoute', signer), action: 2 };
const updated = { url: addressFor(webhookUrl, 'updateTask', signer), action: 3 };
const signedBefore = {
	url: addressFor(webhookUrl, 'createTask', { ...signer, secret: 'old' }),
	action: 1,
};
const others = [
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

	list(): Promise<Webhook[]> {
		return Promise.resolve([...this.hooks]);
	}

	subscribe(subscription: Subscription): Promise<void> {
		this.check(subscription);
		this.changes.push(`+${nameOf(subscription)}`);
		this.hooks.push(listed(subscription));
		return Promise.resolve();
	}

	unsubscribe(subscription: Subscription): Promise<boolean> {
		this.check(subscription);
		this.changes.push(`-${nameOf(subscription)}`);
		const left = this.hooks.filter((hook) => !isSame(hook, subscription));
		const found = left.length < this.hooks.length;
		this.hooks = left;
		return Promise.resolve(found);
	}

	private check(subscription: Subscription): void {
		if (this.refused.some((one) => isSame(one, subscription)))
			throw new Error(`refused: ${nameOf(subscription)}`);
	}
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
	return await reconcile(memory, diff(desired, await memory.list()));
}

test('a trigger wants one subscription an event, signed when it has a signer', () => {
	expect(subscriptionsFor(desired)).toEqual([created, updated]);
	expect(subscriptionsFor({ webhookUrl, events: ['createRoute'] })).toEqual([
		{ url: `${webhookUrl}?event=createRoute`, action: 2 },
	]);
});

describe('what there is to do', () => {
	test('is to subscribe to everything when nothing is there', () => {
		expect(diff(desired, [])).toEqual({
			missing: [created, updated],
			stale: [],
			blacklisted: [],
		});
	});

	test('is nothing when everything is there, whatever else is listed', () => {
		const list = [...others, created, updated].map((one) => listed(one));
		expect(diff(desired, list)).toEqual({ missing: [], stale: [], blacklisted: [] });
	});

	test('is to subscribe to what is missing', () => {
		expect(diff(desired, [listed(updated)]).missing).toEqual([created]);
	});

	test('is to remove what is of this node but no longer desired', () => {
		const list = [created, updated, routed, signedBefore].map((one) => listed(one));
		expect(diff(desired, list)).toEqual({
			missing: [],
			stale: [routed, signedBefore],
			blacklisted: [],
		});
	});

	test('is to remove an address that is subscribed to another event than it names', () => {
		const swapped = { url: created.url, action: 3 };
		expect(diff(desired, [listed(swapped)])).toEqual({
			missing: [created, updated],
			stale: [swapped],
			blacklisted: [],
		});
	});

	test('is to make anew what the service has stopped calling', () => {
		const list = [listed(created, 'blacklisted'), listed(updated)];
		expect(diff(desired, list)).toEqual({
			missing: [created],
			stale: [],
			blacklisted: [created],
		});
	});

	test('is nothing for an address that the service lists in another order', () => {
		const [path = '', query = ''] = created.url.split('?');
		const reordered = { ...created, url: `${path}?${query.split('&').reverse().join('&')}` };
		expect(diff(desired, [listed(reordered), listed(updated)])).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
		});
	});

	test('is to make anew what is listed twice and blacklisted once', () => {
		const list = [listed(created), listed(created, 'blacklisted'), listed(updated)];
		expect(diff(desired, list)).toEqual({
			missing: [created],
			stale: [],
			blacklisted: [created],
		});
	});

	test('is only to remove what is not desired and blacklisted', () => {
		const list = [listed(routed, 'blacklisted'), listed(created), listed(updated)];
		expect(diff(desired, list)).toEqual({ missing: [], stale: [routed], blacklisted: [] });
	});

	test('leaves a subscription with a status that nobody knows', () => {
		const list = [listed(created, 'paused'), listed(updated, '')];
		expect(diff(desired, list)).toEqual({ missing: [], stale: [], blacklisted: [] });
	});

	test('is without signatures when addresses are not signed, and signed ones are stale', () => {
		const unsigned: Desired = { webhookUrl, events: ['createTask'] };
		expect(diff(unsigned, [listed(created)])).toEqual({
			missing: [{ url: `${webhookUrl}?event=createTask`, action: 1 }],
			stale: [created],
			blacklisted: [],
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
		expect(diff(desired, await memory.list())).toEqual({
			missing: [],
			stale: [],
			blacklisted: [],
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

describe('when the service refuses', () => {
	test('a subscription, none that was tried stays, and the stale ones do', async () => {
		const memory = new Memory([listed(signedBefore), listed(others[0] ?? created)], [updated]);
		const before = [...memory.hooks];
		await expect(reconciled(memory)).rejects.toThrow('refused: updated');
		expect(memory.changes).toEqual(['+created', '-created']);
		expect(memory.hooks).toEqual(before);
	});

	test('a subscription whose answer was lost, it is removed too', async () => {
		const memory = new Memory([]);
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
	test("takes every subscription of the node's own address, and none of others", async () => {
		const own = [
			listed(created),
			listed(routed, 'blacklisted'),
			listed(signedBefore),
			listed({ url: created.url, action: 3 }),
		];
		const memory = new Memory([...others.map((one) => listed(one)), ...own]);
		await expect(removeOwn(memory, webhookUrl, [])).resolves.toBeUndefined();
		expect(memory.hooks).toEqual(others.map((one) => listed(one)));
		expect(memory.changes).toHaveLength(own.length);
	});

	test('does not mind one that is gone already', async () => {
		const memory = new Memory([listed(created), listed(created), listed(updated)]);
		await expect(removeOwn(memory, webhookUrl, [])).resolves.toBeUndefined();
		expect(memory.hooks).toEqual([]);
	});

	test('removes the others when one is refused, and names that one', async () => {
		const memory = new Memory([listed(created), listed(updated)], [created]);
		await expect(removeOwn(memory, webhookUrl, [])).resolves.toEqual({
			subscriptions: [created],
			reason: new Error('refused: created'),
		});
		expect(memory.hooks).toEqual([listed(created)]);
	});

	test('tries what is known when the list cannot be read, and tells why', async () => {
		const memory = new Memory([listed(created), listed(updated)], [updated]);
		const reason = new Error('no list');
		memory.list = () => Promise.reject(reason);
		await expect(removeOwn(memory, webhookUrl, [created, updated])).resolves.toEqual({
			subscriptions: [updated],
			reason,
		});
		expect(memory.hooks).toEqual([listed(updated)]);
		await expect(removeOwn(memory, webhookUrl, [created])).resolves.toEqual({
			subscriptions: [],
			reason,
		});
	});
});
