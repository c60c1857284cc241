import { sendUpdates, type Update } from '../../../nodes/DeliveryService/sending/updates';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import type { UpdateBody } from '../../../nodes/DeliveryService/service/schemas';

const flags = { recalculatePrice: true, reorderRoute: true, recalculateCity: true };

function update(item: number, ids: string[], changes: Partial<Update> = {}): Update {
	return { item, targetKind: 'deliveryIds', ids, changes: { cod: 1 }, flags, ...changes };
}

/** The bodies that were sent, and the results, each with the number of the request it came from. */
async function run(updates: Update[]) {
	const bodies: UpdateBody[] = [];
	const results = [];
	const send = (body: UpdateBody): Promise<Exchange> => {
		bodies.push(body);
		return Promise.resolve({
			kind: 'answer',
			status: 200,
			headers: {},
			body: { request: bodies.length },
		});
	};
	for await (const result of sendUpdates(updates, send)) results.push(result);
	return { bodies, results };
}

test('an update is sent with its target, its changes and its flags', async () => {
	const changes = { contact: { name: 'Ana' }, addTags: [1] };
	const some = { recalculatePrice: false, reorderRoute: true, recalculateCity: false };
	const { bodies } = await run([
		update(0, ['R1'], { targetKind: 'referenceIds', changes, flags: some }),
	]);
	expect(bodies).toEqual([
		{
			referenceIds: ['R1'],
			deliveryChanges: changes,
			recalculatePrice: false,
			reorderRoute: true,
			recalculateCity: false,
		},
	]);
});

test('neighbours that differ only in their targets share a request', async () => {
	const { bodies, results } = await run([update(0, ['a', 'b']), update(1, ['c'])]);
	expect(bodies.map(({ deliveryIds }) => deliveryIds)).toEqual([['a', 'b', 'c']]);
	expect(results.map(({ item, id, targetKind }) => ({ item, id, targetKind }))).toEqual([
		{ item: 0, id: 'a', targetKind: 'deliveryIds' },
		{ item: 0, id: 'b', targetKind: 'deliveryIds' },
		{ item: 1, id: 'c', targetKind: 'deliveryIds' },
	]);
});

test.each<[string, Partial<Update>]>([
	['the kind of target', { targetKind: 'referenceIds' }],
	['the changes', { changes: { cod: 2 } }],
	['a flag', { flags: { ...flags, reorderRoute: false } }],
])('neighbours that differ in %s do not share a request', async (_, changes) => {
	const { bodies } = await run([update(0, ['a']), update(1, ['b'], changes), update(2, ['c'])]);
	expect(bodies.map((body) => body.deliveryIds ?? body.referenceIds)).toEqual([
		['a'],
		['b'],
		['c'],
	]);
});

test('equal updates with another between them stay apart, since a later change must win', async () => {
	const { bodies } = await run([
		update(0, ['a']),
		update(1, ['a'], { changes: { cod: 2 } }),
		update(2, ['a']),
	]);
	expect(bodies.map(({ deliveryChanges }) => deliveryChanges.cod)).toEqual([1, 2, 1]);
});

test('a target that is repeated starts a new request', async () => {
	const { bodies } = await run([
		update(0, ['a', 'b']),
		update(1, ['c']),
		update(2, ['d', 'c']),
		update(3, ['a']),
		update(4, ['a']),
	]);
	expect(bodies.map(({ deliveryIds }) => deliveryIds)).toEqual([
		['a', 'b', 'c'],
		['d', 'c', 'a'],
		['a'],
	]);
});

test('no request holds more than 10 targets, and their order is kept', async () => {
	const ids = Array.from({ length: 21 }, (_, number) => `d${number}`);
	const { bodies, results } = await run([update(0, ids.slice(0, 15)), update(1, ids.slice(15))]);
	expect(bodies.map(({ deliveryIds }) => deliveryIds)).toEqual([
		ids.slice(0, 10),
		ids.slice(10, 20),
		ids.slice(20),
	]);
	expect(results.map(({ id }) => id)).toEqual(ids);
	expect(results.map(({ item }) => item)).toEqual(ids.map((_, number) => (number < 15 ? 0 : 1)));
});

test('each result carries what came of its own request', async () => {
	const { results } = await run([update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })]);
	expect(results.map(({ exchange }) => exchange)).toEqual([
		{ kind: 'answer', status: 200, headers: {}, body: { request: 1 } },
		{ kind: 'answer', status: 200, headers: {}, body: { request: 2 } },
	]);
});

test('a request is sent only when the results of the one before were taken', async () => {
	let sent = 0;
	const failed: Exchange = { kind: 'noAnswer', code: 'ECONNRESET' };
	const updates = [update(0, ['a']), update(1, ['b'], { changes: { cod: 2 } })];
	for await (const { exchange } of sendUpdates(updates, () => {
		sent++;
		return Promise.resolve(failed);
	})) {
		expect(exchange).toBe(failed);
		break;
	}
	expect(sent).toBe(1);
});

test('without updates nothing is sent', async () => {
	expect(await run([])).toEqual({ bodies: [], results: [] });
});
