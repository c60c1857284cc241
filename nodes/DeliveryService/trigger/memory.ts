import { z } from 'zod';

/** Where a node has subscribed: at which service, for which company, at which URL of its own. */
export interface Place {
	baseUrl: string;
	companyId: number;
	/** The secret of another key was never sent to that service, and must not be. */
	apiKeyId: string;
	webhookUrl: string;
}

/** What a trigger keeps with its workflow, in n8n's static data. */
export interface Memory {
	/** The webhook URL that is subscribed; absent after the trigger was turned off. */
	subscribedTo?: string;
	/** What is needed to know the signatures of its addresses, in the order of the events. */
	digests?: string[];
	/** Where subscriptions of this node may be, the present place included. */
	places: Place[];
}

/** More places than that are not looked after: each costs a request on every publishing. */
const mostPlaces = 5;

const placeSchema = z.object({
	baseUrl: z.string(),
	companyId: z.number(),
	apiKeyId: z.string(),
	webhookUrl: z.string(),
});

const memorySchema = z.object({
	subscribedTo: z.string().optional().catch(undefined),
	digests: z.array(z.string()).optional().catch(undefined),
	places: z.array(placeSchema).catch([]),
});

/** What was kept; whatever cannot be read counts as not kept. */
export function readMemory(data: Readonly<Record<string, unknown>>): Memory {
	return memorySchema.parse({ ...data });
}

/**
 * Keeps it. Only to be called while n8n turns the trigger on or off: what is kept during a call may
 * write over what another process kept in the meantime, or be lost.
 */
export function writeMemory(data: Record<string, unknown>, memory: Memory): void {
	const { subscribedTo, digests, places } = memory;
	const kept = { subscribedTo, digests, places: places.slice(-mostPlaces) };
	for (const [name, value] of Object.entries(kept)) {
		if (value === undefined) delete data[name];
		else data[name] = value;
	}
}

/** The places but one, told by all its members. */
export function otherPlaces(places: readonly Place[], present: Place): Place[] {
	return places.filter((place) => !isSamePlace(place, present));
}

function isSamePlace(one: Place, other: Place): boolean {
	return (
		one.baseUrl === other.baseUrl &&
		one.companyId === other.companyId &&
		one.webhookUrl === other.webhookUrl
	);
}
