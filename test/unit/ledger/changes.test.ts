/**
 * Random lives of an order whose delivery was sent: it changes, is put on hold or canceled, and back, and
 * its changes are reported, or the execution that reports them crashes. A list of what was told says what
 * must be found.
 */
import fc from 'fast-check';

import type { Change, SentAs } from '../../../nodes/DeliveryService/ledger/changes';
import { Ledger } from '../../../nodes/DeliveryService/ledger/ledger';
import { memoryStore } from '../../support/memoryStore';

const seed = Number(process.env.SEQUENCES_SEED ?? Date.now() % 2 ** 31);
const count = Number(process.env.SEQUENCES ?? 1500);

const clock = { now: () => 0, wait: async () => await Promise.resolve() };

const [held, stopped] = ['on hold', 'canceled'];

const isStop = (rest?: string) => rest === held || rest === stopped;

const cash = fc.constantFrom('10', '6', undefined);

const step = fc.record({
	sentAs: fc.record({ rest: fc.constantFrom('a', 'b', held, stopped, undefined), cash }),
	kind: fc.constantFrom('look', 'report', 'crash'),
});

function withoutEntries({ before, number, cash, rest }: Change): Change {
	return { before, number, cash, rest };
}

/** What was told about a delivery. Of an execution that crashed, it is not known. */
type Told = SentAs | 'unknown';

/** What must be found about a delivery, as it would be sent now. */
function expectedChange(told: readonly Told[], hasCash: boolean, now: SentAs): Change | undefined {
	const known = told.flatMap((one) => (one === 'unknown' ? [] : [one]));
	const last = known.at(-1)?.rest;
	const change: Pick<Change, 'before' | 'number'> = {
		before: !isStop(last) || !now.rest ? undefined : last === held ? 'held' : 'stopped',
		number: told.length,
	};
	const isCompared = now.rest !== undefined;
	if (told.at(-1) === 'unknown') return { ...change, cash: hasCash, rest: isCompared };
	const ofCash = told.findLast((one) => one === 'unknown' || one.rest !== stopped);
	const isCashEqual = ofCash !== 'unknown' && (ofCash?.cash ?? '') === (now.cash ?? '');
	const isCashChanged = hasCash && now.rest !== stopped && !isCashEqual;
	const isRestChanged = isCompared && now.rest !== last;
	if (!isCashChanged && !isRestChanged) return undefined;
	const beforeStop = told.findLast((one) => one === 'unknown' || !isStop(one.rest));
	const isReleased = beforeStop !== 'unknown' && beforeStop?.rest === now.rest;
	return { ...change, cash: isCashChanged, rest: isRestChanged && !isReleased };
}

test(`each change of a sent order is found once, through holds and crashes (SEQUENCES_SEED=${seed})`, async () => {
	const created = fc.record({ rest: fc.constantFrom('a', 'b'), cash });
	const life = fc.array(step, { maxLength: 10 });
	await fc.assert(
		fc.asyncProperty(created, life, async (first, steps) => {
			const row = { entries: new Set<string>() };
			const open = () => new Ledger(memoryStore(row, clock), clock);
			const claimOf = (sentAs: SentAs) => {
				return { referenceId: '#1', orderId: 'A', sentAs: { ...sentAs, held, stopped } };
			};
			let ledger = open();
			const claim = claimOf(first);
			await ledger.claim([claim]);
			ledger.confirm(claim);
			await ledger.flush();
			const told: Told[] = [first];
			for (const { sentAs, kind } of steps) {
				const now = claimOf(sentAs);
				const { state, change } = (await ledger.lookUp([now])).get(now) ?? {};
				const expected = expectedChange(told, first.cash !== undefined, sentAs);
				expect(state).toBe('created');
				expect(change && withoutEntries(change)).toEqual(expected);
				expect(change?.claimedElsewhere !== undefined).toBe(told.at(-1) === 'unknown');
				if (kind === 'look') continue;
				expect((await ledger.claimChanges([now])).has(now)).toBe(expected !== undefined);
				if (kind === 'crash') {
					ledger = open();
					if (expected) told.push('unknown');
				} else {
					ledger.recordChange(now);
					await ledger.flush();
					if (expected) told.push(sentAs);
				}
			}
		}),
		{ seed, numRuns: Math.ceil(count / 3) },
	);
});
