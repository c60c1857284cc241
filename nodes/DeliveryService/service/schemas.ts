import { z } from 'zod/v4';

import { anyObject } from '../common/json';
import { limits } from './limits';
import {
	amount,
	email,
	identifier,
	latitude,
	longitude,
	lowerCase,
	possiblyEmptyText,
	strictObject,
	strictObjectIgnoringBlanks,
	text,
	textFromNumber,
	textUpTo,
	wholeNumber,
	removeEmptyEntries,
} from './values';

/*
 * What the service's document says of the bodies it takes and gives. What is sent is strict: an
 * unknown member, a wrong kind or a broken rule is refused. What is read is tolerant: unknown
 * members are kept.
 */

const packageSizes = ['xs', 's', 'm', 'l', 'xl'] as const;
const deliveryTypes = ['slot', 'flex', 'express'] as const;

/** A package's size (section 2.5). */
export const packageSizeSchema = z.preprocess(lowerCase, z.enum(packageSizes));

/** The type of a creation request (section 4.1). */
export const deliveryTypeSchema = z.enum(deliveryTypes);

/** A company's identifier (sections 4.1 and 4.3). */
export const companyIdSchema = identifier;

/** Who hands over or receives the packages (section 2.3). */
const contactSchema = strictObjectIgnoringBlanks({
	name: text,
	email,
	phonenumber: text.optional(),
});

/** An address given by components (section 2.4). */
const addressComponentsSchema = strictObjectIgnoringBlanks({
	streetName: text.optional(),
	neighborhood: text.optional(),
	city: text.optional(),
	state: text.optional(),
	zipcode: text.optional(),
	country: text.optional(),
}).refine((components) => Object.keys(components).length > 0, {
	message: 'needs at least one component, such as the street or the city',
});

/** The full address as text, or its components (section 2.4). */
const addressSchema = z.union([text, addressComponentsSchema]);

/** A coordinate as text without an exponent: nearer to 0 than a few centimetres it is rounded. */
function coordinateText(coordinate: number): string {
	return String(Math.abs(coordinate) < 1e-6 ? Number(coordinate.toFixed(6)) : coordinate);
}

/** Rejects one coordinate without the other. */
function requireBothCoordinates({ value, issues }: z.core.ParsePayload<Coordinates>): void {
	if ((value.lat === undefined) === (value.lng === undefined)) return;
	const missing = value.lat === undefined ? 'lat' : 'lng';
	issues.push({
		code: 'custom',
		path: [missing],
		message: 'is missing. Give latitude and longitude together, or neither',
		input: value,
	});
}

interface Coordinates {
	lat?: unknown;
	lng?: unknown;
}

/** Where a place is: text, components or a saved warehouse (section 2.4). */
const locationSchema = strictObjectIgnoringBlanks({
	address: addressSchema.optional(),
	warehouse: identifier.optional(),
	instructions: text.optional(),
	lat: latitude.transform(coordinateText).optional(),
	lng: longitude.transform(coordinateText).optional(),
})
	.check(({ value, issues }) => {
		const { address, warehouse } = value;
		if (address === undefined && warehouse === undefined)
			issues.push({
				code: 'custom',
				path: ['address'],
				message: 'is missing. Give an address, address components or a saved warehouse',
				input: value,
			});
		if (address !== undefined && warehouse !== undefined)
			issues.push({
				code: 'custom',
				path: ['warehouse'],
				message: 'is given beside an address. Give one of the two',
				input: value,
			});
	})
	.check(requireBothCoordinates);

const placeSchema = strictObjectIgnoringBlanks({
	contact: contactSchema,
	location: locationSchema,
});

/** A package (section 2.5). */
const packageSchema = strictObjectIgnoringBlanks({
	id: text.optional(),
	name: text,
	qty: wholeNumber,
	weight: amount.optional(),
	size: packageSizeSchema,
	price: amount.optional(),
});

const referenceIdSchema = textUpTo(limits.referenceIdLength);

const extraDataSchema = strictObjectIgnoringBlanks({
	name: text,
	value: possiblyEmptyText,
	searchable: z.boolean().optional(),
});

/** A delivery as it is asked for (section 2.1). */
export const deliverySchema = strictObjectIgnoringBlanks({
	pickup: placeSchema,
	dropoff: placeSchema,
	packages: z.array(packageSchema).min(1),
	referenceId: referenceIdSchema.optional(),
	tags: z.preprocess(removeEmptyEntries, z.array(textUpTo(limits.tagLength))).optional(),
	extraData: z.array(extraDataSchema).optional(),
	cod: amount.optional(),
});

export type Delivery = z.infer<typeof deliverySchema>;

/** The body of a creation request (section 4.1). */
export interface CreationBody {
	deliveries: Delivery[];
	companyId?: number;
	type?: z.infer<typeof deliveryTypeSchema>;
}

/** What an update may change (section 4.2). Unlike at creation, coordinates are numbers here. */
export const deliveryChangesSchema = strictObject({
	location: strictObject({
		address: text.optional(),
		instructions: text.optional(),
		lat: latitude.optional(),
		lng: longitude.optional(),
	})
		.check(requireBothCoordinates)
		.optional(),
	contact: strictObject({
		name: text.optional(),
		email: email.optional(),
		phonenumber: text.optional(),
	}).optional(),
	packages: z
		.array(
			strictObject({
				id: text.optional(),
				name: text.optional(),
				qty: wholeNumber.optional(),
				weight: amount.optional(),
				size: packageSizeSchema.optional(),
				price: amount.optional(),
			}),
		)
		.min(1)
		.optional(),
	cod: amount.optional(),
	referenceId: referenceIdSchema.optional(),
	addTags: z.array(identifier).min(1).optional(),
	removeTags: z.array(identifier).min(1).optional(),
});

export type DeliveryChanges = z.infer<typeof deliveryChangesSchema>;

/** Which deliveries an update is for: one kind of ID, never both (section 4.2). */
export const targetSchemas = {
	deliveryIds: z.array(text).min(1),
	referenceIds: z.array(referenceIdSchema).min(1),
} as const;

export type TargetKind = keyof typeof targetSchemas;

/** The body of an update request (section 4.2). */
export interface UpdateBody {
	deliveryIds?: string[];
	referenceIds?: string[];
	deliveryChanges: DeliveryChanges;
	recalculatePrice: boolean;
	reorderRoute: boolean;
	recalculateCity: boolean;
}

/** The URL of a subscription (section 2.7). */
export const webhookUrlSchema = z.preprocess(
	textFromNumber,
	z
		.string()
		.refine(isWebUrl, { message: 'is not a web address that starts with http:// or https://' }),
);

function isWebUrl(value: string): boolean {
	return /^https?:\/\//i.test(value) && URL.canParse(value);
}

/** The records in a payload that is no list: it is the only one, or an object holds lists or records. */
function findRecords(payload: unknown): unknown {
	if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return payload;
	if ('id' in payload) return [payload];
	const members: unknown[] = Object.values(payload);
	const lists = members.filter((member) => Array.isArray(member));
	if (lists.length > 0) return lists.flat();
	const isEachARecord = members.every((member) => typeof member === 'object' && member !== null);
	return isEachARecord ? members : payload;
}

/** The answer to a creation request, as far as it is needed to go on (section 4.1). */
export const creationResponseSchema = z.preprocess(
	(body) => (Array.isArray(body) ? { payload: body } : body),
	z.object({
		/** A record that is no object says nothing, but must not hide the others. */
		payload: z.preprocess(findRecords, z.array(anyObject.catch({}))),
	}),
);

/** Text, or a number in its place; anything else says nothing. */
const textOrNumber = z
	.union([z.string(), z.number().transform(String)])
	.nullish()
	.catch(undefined);

const jobs = z.object({ jobs: z.unknown().optional() }).optional().catch(undefined);

/** The answer to an update request (section 4.2); the job is also looked for where creation has its records. */
export const updateResponseSchema = z.object({
	code: textOrNumber,
	message: textOrNumber,
	data: jobs,
	payload: jobs,
});

/** The code and message that answers carry (sections 4.1, 4.2 and 7). */
export const codeAndMessageSchema = z
	.object({ code: textOrNumber, message: textOrNumber })
	.catch({});

/** A listed subscription (sections 2.7 and 4.4): what is needed to know it, and what else it has. */
export const listedWebhookSchema = z.looseObject({
	url: z.string().min(1),
	action: z.coerce.number().int().min(1),
	status: z.unknown().optional(),
});
