import type { Entries } from '../../../nodes/DeliveryService/ledger/entries';
import { readText, textEntries, writeText } from '../../../nodes/DeliveryService/ledger/text';
import { entriesOf, noTime } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

let time: VirtualTime;
let entries: Entries;

beforeEach(() => {
	time = new VirtualTime();
	entries = entriesOf({ entries: new Set() }, time, () => noTime);
});

const read = async (name: string) => await time.until(readText(entries, name));
const write = async (text: string) => await time.until(writeText(entries, 'host', text));

test('reads a text that was written', async () => {
	await write('api.example');
	expect(await read('host')).toBe('api.example');
	expect(await read('other')).toBeUndefined();
});

test('does not read a text whose end the store has dropped', async () => {
	await time.until(entries.record(textEntries('host', 'api.delivery.example').slice(0, -6)));
	expect(await read('host')).toBeUndefined();
});

test('replaces what an interrupted reading has left behind', async () => {
	await write('api.example');
	const interrupted = { ...entries, remove: () => Promise.reject(new Error('no database')) };
	await expect(time.until(readText(interrupted, 'host'))).rejects.toThrow('no database');
	await write('api.example');
	expect(await read('host')).toBe('api.example');
});
