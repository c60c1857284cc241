import { Access, removeInChunks, type Store } from './access';
import { entryOf, nextName, type Name } from './names';

/** How many times Allow Resending for an order has an effect on its fulfillment orders' own. */
const maxOrderNumber = 9;

/**
 * Lets references be sent again, whatever their state: that of an order frees its delivery and those
 * of its fulfillment orders; that of a fulfillment order frees only this one. The store can't list
 * entries, so each gets a new name: see {@link Name}.
 *
 * @returns the references that would not have been sent
 * @throws when the store fails
 */
export async function allowResending(
	store: Store,
	companyId: number | undefined,
	references: readonly string[],
): Promise<ReadonlySet<string>> {
	return await store.runExclusive(async (entries) => {
		const access = new Access(entries);
		const claimed = (name: Name) => entryOf(name, 'claimed');
		const findClaimed = async (names: readonly Name[]) => {
			const isClaimed = await access.ask(names.map(claimed));
			return names.filter((name) => isClaimed(claimed(name)));
		};
		const first = [...new Set(references)].flatMap((reference) =>
			Array.from({ length: maxOrderNumber + 1 }, (_, orderNumber): Name => ({
				...{ companyId, reference, orderNumber, number: 0 },
			})),
		);
		const known = await findClaimed(first);
		const remembered = new Set<string>();
		const obsolete: string[] = [];
		for (let names = known; names.length > 0;) {
			const added = await access.add(
				names.map((name) => entryOf(nextName(name), 'resend')),
				'order',
			);
			const isFreed = (name: Name) => added.has(entryOf(nextName(name), 'resend'));
			for (const name of names) {
				if (isFreed(name)) remembered.add(name.reference);
				obsolete.push(
					...(['created', 'parts', 'examined'] as const).map((kind) => entryOf(name, kind)),
				);
			}
			names = await findClaimed(names.filter((name) => !isFreed(name)).map(nextName));
		}
		await removeInChunks(entries, [...access.obsolete, ...obsolete]);
		return remembered;
	});
}
