/** How long an execution waits for what others have claimed. */
import { waitForOthers } from '../../../nodes/DeliveryService/sending/elsewhere';
import { VirtualTime } from '../../support/virtualTime';

/**
 * Waits for others, each of which ends after a number of seconds.
 *
 * @returns which of them had not ended at the last look, and when that was
 */
async function waitFor(seconds: readonly number[], isAtWork = false) {
	const time = new VirtualTime();
	const start = time.now();
	const claim = { referenceId: '' };
	const claimed = (items: readonly number[]) =>
		items.map((item) => ({ job: { item, claim }, isAtWork }));
	const passed = () => (time.now() - start) / 1000;
	let left = [...seconds.keys()];
	const look = async () => {
		left = left.filter((item) => (seconds[item] ?? 0) > passed());
		return await Promise.resolve(claimed(left));
	};
	await time.until(waitForOthers(claimed(left), look, time));
	return { left, after: passed() };
}

test('waits as long as something changes within a minute', async () => {
	expect(await waitFor([50, 100, 150])).toMatchObject({ left: [] });
});

test('gives up about a minute after the last change', async () => {
	const { left, after } = await waitFor([50, Infinity]);
	expect(left).toEqual([1]);
	expect(after).toBeGreaterThan(50 + 60);
	expect(after).toBeLessThan(50 + 90);
});

test('waits for an execution that is certainly at work, however long', async () => {
	expect(await waitFor([3600], true)).toMatchObject({ left: [] });
});
