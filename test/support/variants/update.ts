import type { VariantFixture } from './fixture';
import { outcomeOfRun, worstOf, type Observation } from './observation';
import { failureSchema, itemSchema, messagesOf } from './output';
import { expectFailureShown } from './webhooks';

/** Variants under which nothing is updated, or the outcome is unknown. */
const mayFail = /^(all-|update-code-error$|update-30[23]$)/;

const reportTexts = {
	updated: 'updated',
	rejected: 'reported as rejected',
	notSent: 'reported as not sent',
	unknown: 'reported as unknown',
} as const;

type Report = keyof typeof reportTexts;

/** Updates two existing deliveries and a missing one, if possible in one request. */
export async function observeUpdate(
	fixture: VariantFixture,
	findBy: 'deliveryIds' | 'referenceIds',
	variant: string,
): Promise<Observation> {
	const ids = await fixture.service.seed(2);
	const targets = [...(findBy === 'deliveryIds' ? ids : ['R0', 'R1']), 'NOT-THERE'];
	const before = fixture.control.requests().length;
	fixture.simulate(variant);

	const run = await fixture.service.run(
		{
			resource: 'delivery',
			operation: 'update',
			findBy,
			changesFrom: 'defineBelow',
			[findBy]: targets.join(', '),
			changes: { cod: '5' },
		},
		{ onError: 'continueRegularOutput' },
	);

	expectFailureShown(fixture, run, before);
	expect(run.error).toBeUndefined();
	expect(run.items).toHaveLength(targets.length);
	const reports = run.items.map(({ json }): Report => {
		const { outcome } = itemSchema.parse(json);
		return outcome === 'updated' ? outcome : failureSchema.parse(outcome);
	});
	const [first = 'unknown', second = 'unknown', missing = 'unknown'] = reports;
	const isUpdated = fixture.control.deliveries().map(({ request }) => request.cod === 5);
	const existing = [first, second].map((reported: Report, index) => ({
		reported,
		isUpdated: isUpdated[index] === true,
	}));
	for (const { reported, isUpdated: isDone } of existing) {
		if (reported === 'updated') expect(isDone).toBe(true);
		else expect(variant).toMatch(mayFail);
	}
	const [one, other] = existing.map(
		({ reported, isUpdated: isDone }) =>
			reportTexts[reported] + (isDone && reported !== 'updated' ? ', but updated' : ''),
	);
	const both = one === other ? `both ${one}` : `one ${one}, the other ${other}`;
	const requests = fixture.control.requests().length - before;
	return {
		outcome: worstOf([
			outcomeOfRun([first, second]),
			...(missing === 'updated' ? (['undetected'] as const) : []),
		]),
		summary: `Existing deliveries: ${both}. Missing delivery: ${missing === 'updated' ? 'reported as updated' : reportTexts[missing]}. ${requests} ${requests === 1 ? 'request' : 'requests'}.`,
		messages: messagesOf(run),
	};
}
