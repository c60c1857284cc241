import { z } from 'zod';

import { nearest } from './nearest';
import { QuickType, stepOf } from './quick';
import { isEmailAddress, isLongerThan } from './text';

/*
 * How the values of what is sent are checked: each in the forms that the editor, JSON and
 * expressions give it.
 */

const plainNumber = /^[+-]?\d+(\.\d+)?$/;

/** Plain numeric text becomes its number; anything else is left for the rule to refuse. */
function numberFromText(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	const trimmed = value.trim();
	return plainNumber.test(trimmed) ? Number(trimmed) : value;
}

/** An ID that came as a number becomes text; text is trimmed. */
export function textFromNumber(value: unknown): unknown {
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	return typeof value === 'string' ? value.trim() : value;
}

/** Text in lower case; anything else is left for the rule to refuse. */
export function lowerCase(value: unknown): unknown {
	return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

/** A number of 0 or more. */
export const amount = z.preprocess(numberFromText, z.number().finite().min(0));

/** A whole number of 0 or more. */
export const wholeNumber = z.preprocess(numberFromText, z.number().int().safe().min(0));

/** A whole number of 1 or more. */
export const identifier = z.preprocess(numberFromText, z.number().int().safe().min(1));

/** Text that is not empty. */
export const text = z.preprocess(textFromNumber, z.string().min(1));

/** Text that may be empty. */
export const possiblyEmptyText = z.preprocess(textFromNumber, z.string());

/** An e-mail address (section 2.3). */
export const email = z.preprocess(
	textFromNumber,
	z
		.string()
		.min(1)
		.superRefine((value, context) => {
			if (value !== '' && !isEmailAddress(value))
				context.addIssue({ code: 'invalid_string', validation: 'email' });
		}),
);

/** In degrees (section 2.4). */
export const latitude = z.preprocess(numberFromText, z.number().min(-90).max(90));

/** In degrees (section 2.4). */
export const longitude = z.preprocess(numberFromText, z.number().min(-180).max(180));

/** Text of at most so many characters, as people count them. */
export function textUpTo(maximum: number) {
	return z.preprocess(
		textFromNumber,
		z
			.string()
			.min(1)
			.superRefine((value, context) => {
				if (isLongerThan(value, maximum))
					context.addIssue({ code: 'too_big', type: 'string', maximum, inclusive: true });
			}),
	);
}

/** An object without members that the document does not know; the message names the nearest one. */
export function exactly<Shape extends z.ZodRawShape>(shape: Shape) {
	const known = Object.keys(shape);
	return z
		.object(shape, {
			errorMap: (issue, context) => {
				if (issue.code !== 'unrecognized_keys') return { message: context.defaultError };
				const named = issue.keys.map((key) => {
					const suggestion = nearest(key, known);
					return suggestion ? `"${key}" (did you mean "${suggestion}"?)` : `"${key}"`;
				});
				return {
					message: `has no member ${named.join(', ')}. The members are: ${known.join(', ')}`,
				};
			},
		})
		.strict();
}

/**
 * Such an object, of which an optional member counts as not given when it is empty. A member is
 * optional when `optional()` comes last: to ask the schema itself would try it, whenever n8n starts.
 */
export function exactlyWhatIsGiven<Shape extends z.ZodRawShape>(shape: Shape) {
	const optional = Object.keys(shape).filter((name) => shape[name] instanceof z.ZodOptional);
	return new WithoutEmpty(exactly(shape), new Set(optional));
}

/** A class, and not one of zod's preprocessing steps, since those take a third of the whole time. */
class WithoutEmpty<Output> extends QuickType<Output> {
	/** @param mayLack the members that are left out when they are empty */
	constructor(
		private readonly schema: z.ZodType<Output, z.ZodTypeDef, unknown>,
		private readonly mayLack: ReadonlySet<string>,
	) {
		super({});
	}

	/** What zod calls for each value. */
	override _parse(input: z.ParseInput): z.ParseReturnType<Output> {
		const given = this.given(input.data);
		if (given === input.data) return this.schema._parse(input);
		const { path, parent } = input;
		return this.schema._parse({ data: given, path, parent });
	}

	override quick(value: unknown): unknown {
		return stepOf(this.schema)(this.given(value));
	}

	/** The value itself, or a copy without the members that count as not given. */
	private given(value: unknown): unknown {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const members = Object.entries(value);
		const given = members.filter(([name, member]) => !isEmpty(member) || !this.mayLack.has(name));
		return given.length === members.length ? value : Object.fromEntries(given);
	}
}

/** Blank text, or a list of nothing else. */
function isEmpty(value: unknown): boolean {
	return typeof value === 'string'
		? value.trim() === ''
		: Array.isArray(value) && value.every(isEmpty);
}

/** The entries of a list that are not empty. */
export function withoutEmpty(value: unknown): unknown {
	return Array.isArray(value) ? value.filter((entry) => !isEmpty(entry)) : value;
}
