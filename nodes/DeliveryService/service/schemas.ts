/**
 * The request and response bodies of the API document. Request schemas are strict: they reject unknown
 * fields, wrong types and broken rules. Response schemas are tolerant and keep unknown fields.
 */
import { z } from 'zod/v4';

import { anyObject } from '../common/data';
import {
	amount,
	email,
	identifier,
	latitude,
	longitude,
	lowerCase,
	possiblyEmptyText,
	readableText,
	strictObject,
	strictObjectIgnoringBlanks,
	text,
	textFromNumber,
	textUpTo,
	wholeNumber,
	removeEmptyEntries,
} from './values';

/** The limits of the service (docs/api.md, sections 2.1 and 8). */
export const limits = {
	/** Deliveries in one creation request. */
	deliveriesPerRequest: 100,
	/** Creation requests per API key in any window of `creationWindowMs`. */
	creationRequestsPerWindow: 100,
	creationWindowMs: 60_000,
	/** Delivery or reference IDs in one update request. */
	deliveriesPerUpdate: 10,
	/** Characters of a reference ID. */
	referenceIdLength: 40,
	/** Characters of a tag's name. */
	tagLength: 50,
} as const;

/** A package's size (docs/api.md, section 2.5). */
export const packageSizeSchema = z.preprocess(lowerCase, z.enum(['xs', 's', 'm', 'l', 'xl']));

/** The type of a creation request (docs/api.md, section 4.1). */
export const deliveryTypeSchema = z.enum(['slot', 'flex', 'express']);

/** A company's identifier (docs/api.md, sections 4.1 and 4.3). */
export const companyIdSchema = identifier;

/** The person who hands over or receives the packages (docs/api.md, section 2.3). */
const contactFields = { name: text, email, phonenumber: text.optional() };

/** A contact of which another place or the existing delivery supplies the rest. */
const optionalContactFields = z.object(contactFields).partial().shape;

/** An address as components (docs/api.md, section 2.4). */
const addressComponentsSchema = strictObjectIgnoringBlanks({
	streetName: text.optional(),
	neighborhood: text.optional(),
	city: text.optional(),
	state: text.optional(),
	zipcode: text.optional(),
	country: text.optional(),
}).refine((components) => Object.keys(components).length > 0, {
	message: 'requires at least one field, e.g. the street or the city',
});

/** An address as text or as components (docs/api.md, section 2.4). */
const addressSchema = z.union([text, addressComponentsSchema]);

/** A coordinate as text without an exponent; values within a few centimeters of 0 are rounded. */
function coordinateText(coordinate: number): string {
	return String(Math.abs(coordinate) < 1e-6 ? Number(coordinate.toFixed(6)) : coordinate);
}

function requireBothCoordinates({
	value,
	issues,
}: z.core.ParsePayload<{ lat?: unknown; lng?: unknown }>): void {
	// One that breaks a rule is not missing.
	if (issues.length > 0 || (value.lat === undefined) === (value.lng === undefined)) return;
	const missing = value.lat === undefined ? 'lat' : 'lng';
	issues.push({
		code: 'custom',
		path: [missing],
		message: 'is missing. Set both latitude and longitude, or neither',
		input: value,
	});
}

/**
 * The location of a place: address text, address components or a saved warehouse
 * (docs/api.md, section 2.4).
 */
const locationSchema = strictObjectIgnoringBlanks({
	address: addressSchema.optional(),
	warehouse: identifier.optional(),
	instructions: text.optional(),
	lat: latitude.transform(coordinateText).optional(),
	lng: longitude.transform(coordinateText).optional(),
})
	.check(({ value, issues }) => {
		const { address, warehouse } = value;
		// One that breaks a rule is not missing.
		if (issues.length > 0) return;
		if (address === undefined && warehouse === undefined)
			issues.push({
				code: 'custom',
				path: ['address'],
				message: 'is missing. Enter an address or choose a saved warehouse',
				input: value,
			});
		if (address !== undefined && warehouse !== undefined)
			issues.push({
				code: 'custom',
				path: ['warehouse'],
				message: "can't be combined with an address. Use only one of them",
				input: value,
			});
	})
	.check(requireBothCoordinates);

/**
 * Where packages are handed over or received (docs/api.md, section 2.2), with the fields of its contact.
 */
function placeWith<Contact extends z.core.$ZodLooseShape>(contact: Contact) {
	return strictObjectIgnoringBlanks({
		contact: strictObjectIgnoringBlanks(contact),
		location: locationSchema,
	});
}

const placeSchema = placeWith(contactFields);

/** A place that another place supplies with what is missing in its contact. */
export const placeOverrideSchema = placeWith(optionalContactFields);

/** A package (docs/api.md, section 2.5). */
const packageFields = {
	id: text.optional(),
	name: text,
	qty: wholeNumber,
	weight: amount.optional(),
	size: packageSizeSchema,
	price: amount.optional(),
};

const referenceIdSchema = textUpTo(limits.referenceIdLength);

const extraDataSchema = strictObjectIgnoringBlanks({
	name: text,
	value: possiblyEmptyText,
	searchable: z.boolean().optional(),
});

/**
 * A delivery in a creation request (docs/api.md, section 2.1), with its pickup and the size of a package.
 */
function deliveryWith<Pickup extends z.ZodType, Size extends z.ZodType>(
	pickup: Pickup,
	size: Size,
) {
	return strictObjectIgnoringBlanks({
		pickup,
		dropoff: placeSchema,
		packages: z.array(strictObjectIgnoringBlanks({ ...packageFields, size })).min(1),
		referenceId: referenceIdSchema.optional(),
		tags: z.preprocess(removeEmptyEntries, z.array(textUpTo(limits.tagLength))).optional(),
		extraData: z.array(extraDataSchema).optional(),
		cod: amount.optional(),
	});
}

/** A delivery from the fields in the editor, or from an order. */
export const deliverySchema = deliveryWith(placeSchema, packageSizeSchema);

/**
 * A delivery that the user has written in the service's format. It may also have what the document's
 * samples show: a pickup contact without an email, and an integer as size (docs/api.md, sections 2.3 and
 * 2.5).
 */
export const deliveryJsonSchema = deliveryWith(
	placeWith({ ...contactFields, email: email.optional() }),
	z.union([z.int(), packageSizeSchema]),
);

export type Delivery = z.infer<typeof deliveryJsonSchema>;

/** The body of a creation request (docs/api.md, section 4.1). */
export interface CreationBody {
	deliveries: Delivery[];
	companyId?: number;
	type?: z.infer<typeof deliveryTypeSchema>;
}

/** The changes of an update (docs/api.md, section 4.2). Unlike at creation, coordinates are numbers. */
export const deliveryChangesSchema = strictObject({
	location: strictObject({
		address: text.optional(),
		instructions: text.optional(),
		lat: latitude.optional(),
		lng: longitude.optional(),
	})
		.check(requireBothCoordinates)
		.optional(),
	contact: strictObject(optionalContactFields).optional(),
	packages: z
		.array(strictObject(z.object(packageFields).partial().shape))
		.min(1)
		.optional(),
	cod: amount.optional(),
	referenceId: referenceIdSchema.optional(),
	addTags: z.array(identifier).min(1).optional(),
	removeTags: z.array(identifier).min(1).optional(),
});

export type DeliveryChanges = z.infer<typeof deliveryChangesSchema>;

/** The deliveries to update: one kind of ID, never both (docs/api.md, section 4.2). */
export const targetSchemas = {
	deliveryIds: z.array(text).min(1),
	referenceIds: z.array(referenceIdSchema).min(1),
} as const;

export const targetKindSchema = z.object(targetSchemas).keyof();

export type TargetKind = z.infer<typeof targetKindSchema>;

/** The body of an update request (docs/api.md, section 4.2). */
export interface UpdateBody {
	deliveryIds?: string[];
	referenceIds?: string[];
	deliveryChanges: DeliveryChanges;
	recalculatePrice: boolean;
	reorderRoute: boolean;
	recalculateCity: boolean;
}

/** The URL of a subscription (docs/api.md, section 2.7). A parser would drop line breaks within it. */
export const webhookUrlSchema = z.preprocess(
	textFromNumber,
	z.string().refine((value) => /^https?:\/\/\P{Cc}+$/iu.test(value) && URL.canParse(value), {
		message: 'must be a valid URL that starts with http:// or https://',
	}),
);

/** The used part of a creation response (docs/api.md, section 4.1). */
export const creationResponseSchema = z.object({
	/** A record that is not an object is useless, but must not hide the others. */
	payload: z.array(anyObject.catch({})),
});

/**
 * The documented response to an update (docs/api.md, section 4.2); its job is what confirms the update.
 */
export const updateResponseSchema = z
	.object({ code: readableText, message: readableText, data: z.object({ jobs: text }) })
	.transform(({ code, message, data }) => ({
		jobId: data.jobs,
		...(code && { code }),
		...(message && { message }),
	}));

export type UpdateResponse = z.infer<typeof updateResponseSchema>;

/** The code and message of a response (docs/api.md, sections 4.1, 4.2 and 7). */
export const codeAndMessageSchema = z
	.object({ code: readableText, message: readableText })
	.catch({});

/** An error as the API document describes it (docs/api.md, section 7): a gateway's has another form. */
export const errorBodySchema = z.object({ code: z.string().min(1), message: z.string().min(1) });

/** A listed subscription (docs/api.md, sections 2.7 and 4.4), with all its other fields. */
export const listedWebhookSchema = z.looseObject({
	url: z.string().min(1),
	action: identifier,
	status: z.unknown().optional(),
});
