/**
 * What a person calls the members of a delivery, a place or a package: the words of the editor's
 * labels, in sentence case. Members that only hold others ("contact", "location") have no word
 * unless they are missing or of another kind themselves.
 */
const words: Readonly<Record<string, string>> = {
	contact: '',
	location: '',
	deliveryChanges: '',
	packages: 'package',
	phonenumber: 'phone',
	streetName: 'street',
	zipcode: 'ZIP code',
	lat: 'latitude',
	lng: 'longitude',
	warehouse: 'warehouse ID',
	id: 'ID',
	qty: 'quantity',
	referenceId: 'reference ID',
	deliveryIds: 'delivery ID',
	referenceIds: 'reference ID',
	tags: 'tag',
	addTags: 'tag to add',
	removeTags: 'tag to remove',
	extraData: 'extra data',
	cod: 'cash on delivery',
	companyId: 'company ID',
	url: 'URL',
	recalculatePrice: 'recalculate price',
	reorderRoute: 'reorder route',
	recalculateCity: 'recalculate city',
	type: 'delivery type',
	batchSize: 'batch size',
	dryRun: 'dry run',
	maximumWaitSeconds: 'maximum wait',
	timeoutSeconds: 'timeout',
	overrides: '',
	addressFormat: 'address format',
	packagesPer: 'packages',
	packageSize: 'package',
	limits: 'size limit',
	upToKg: 'in kilograms',
	referenceFrom: 'reference ID from',
	tagsFromOrder: 'include tags',
	extraDataFromNoteAttributes: 'include note attributes',
	includeTestOrders: 'include test orders',
};

/**
 * The label of a field: `['packages', 0, 'size']` is `Package size`, and with several packages
 * `Package 1 size`.
 *
 * @param path the member names and list positions that lead to the field
 * @param root the value that the path starts from, to see how many entries a list has
 */
export function fieldLabel(path: ReadonlyArray<string | number>, root?: unknown): string {
	const parts: string[] = [];
	let value = root;
	for (const [position, step] of path.entries()) {
		const isLast = position === path.length - 1;
		const member = memberOf(value, step);
		if (typeof step === 'number') {
			if (Array.isArray(value) && value.length > 1) parts.push(String(step + 1));
		} else if (isLast && typeof member !== 'object') {
			parts.push(wordFor(step) || step);
		} else if (isLast || step !== 'address') {
			const word = wordFor(step) ?? step;
			if (word) parts.push(word);
		}
		value = member;
	}
	const label = parts.join(' ');
	return label.charAt(0).toUpperCase() + label.slice(1);
}

/** A step may be any word, such as a name in extra data. */
function wordFor(step: string): string | undefined {
	return Object.hasOwn(words, step) ? words[step] : undefined;
}

/** The value found at a path, or undefined where the path leads nowhere. */
export function valueAt(root: unknown, path: ReadonlyArray<string | number>): unknown {
	return path.reduce(memberOf, root);
}

function memberOf(value: unknown, key: string | number): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	return Object.getOwnPropertyDescriptor(value, key)?.value;
}
