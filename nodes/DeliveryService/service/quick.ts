import { z } from 'zod';

/*
 * zod takes a microsecond or more for each value that it looks at, and an order with its delivery has
 * hundreds. So what a schema says is put together once as plain functions, which give what zod gives
 * for a value that is right. What they find wrong, or do not know, is left to zod: it decides, and
 * tells what is wrong.
 */

/** What is given in place of a value that zod is to judge. */
export const leftToZod = Symbol('left to zod');

type Schema = z.ZodType<unknown, z.ZodTypeDef, unknown>;

/** Gives what a schema makes of a value, or `leftToZod`. */
type Step = (value: unknown) => unknown;

/** A schema of our own that can be put together with others. */
export abstract class QuickType<Output> extends z.ZodType<Output, z.ZodTypeDef, unknown> {
	/** What the schema makes of a value, or `leftToZod`. */
	abstract quick(value: unknown): unknown;
}

const steps = new WeakMap<Schema, Step>();

/** What zod's `safeParse` gives, in a fraction of its time when the value is right. */
export function quickParse<Output>(
	schema: z.ZodType<Output, z.ZodTypeDef, unknown>,
	value: unknown,
): z.SafeParseReturnType<unknown, Output> {
	const read = stepOf(schema)(value);
	return isOutput(schema, read) ? { success: true, data: read } : schema.safeParse(value);
}

/** The steps are those of the schema; that they give what it gives is tested. */
function isOutput<Output>(
	_schema: z.ZodType<Output, z.ZodTypeDef, unknown>,
	read: unknown,
): read is Output {
	return read !== leftToZod;
}

/** The step for a schema, which is put together the first time that it is asked for. */
export function stepOf(schema: Schema): Step {
	const known = steps.get(schema);
	if (known) return known;
	const step = stepFor(schema);
	steps.set(schema, step);
	return step;
}

type Union = z.ZodDiscriminatedUnion<string, Array<z.ZodDiscriminatedUnionOption<string>>>;

/** Whether a schema is of a kind; unlike with instanceof, its parts are not of type any then. */
function isA<Kind extends Schema>(schema: Schema, kind: { name: string }): schema is Kind {
	return schema.constructor === kind;
}

function stepFor(schema: Schema): Step {
	if (schema instanceof QuickType) return (value) => schema.quick(value);
	if (schema instanceof z.ZodUnknown) return (value) => value;
	if (schema instanceof z.ZodString) return stringStep(schema);
	if (schema instanceof z.ZodNumber) return numberStep(schema);
	if (schema instanceof z.ZodBoolean) return given((value) => typeof value === 'boolean');
	if (schema instanceof z.ZodEnum) {
		const options = new Set<unknown>(Object.values(schema.enum));
		return given((value) => options.has(value));
	}
	if (isA<z.ZodOptional<Schema>>(schema, z.ZodOptional)) {
		const inner = stepOf(schema.unwrap());
		return (value) => (value === undefined ? undefined : inner(value));
	}
	if (isA<z.ZodNullable<Schema>>(schema, z.ZodNullable)) {
		const inner = stepOf(schema.unwrap());
		return (value) => (value === null ? null : inner(value));
	}
	if (isA<z.ZodDefault<Schema>>(schema, z.ZodDefault)) {
		const inner = stepOf(schema.removeDefault());
		const { defaultValue } = schema._def;
		return (value) => inner(value === undefined ? defaultValue() : value);
	}
	if (isA<z.ZodCatch<Schema>>(schema, z.ZodCatch)) {
		const inner = stepOf(schema.removeCatch());
		return orZod(schema, inner);
	}
	if (isA<z.ZodArray<Schema>>(schema, z.ZodArray)) return arrayStep(schema);
	if (isA<z.ZodObject<Record<string, Schema>>>(schema, z.ZodObject)) return objectStep(schema);
	if (isA<z.ZodEffects<Schema>>(schema, z.ZodEffects)) return effectStep(schema);
	if (schema instanceof z.ZodLiteral) return given((value) => value === schema.value);
	if (isA<Union>(schema, z.ZodDiscriminatedUnion)) return unionStep(schema);
	return orZod(schema, () => leftToZod);
}

/** The value as it is, if it is right. */
function given(isRight: (value: unknown) => boolean): Step {
	return (value) => (isRight(value) ? value : leftToZod);
}

/** What zod gives, where a step does not know. */
function orZod(schema: Schema, step: Step): Step {
	return (value) => {
		const read = step(value);
		if (read !== leftToZod) return read;
		const parsed = schema.safeParse(value);
		return parsed.success ? parsed.data : leftToZod;
	};
}

function stringStep(schema: z.ZodString): Step {
	const { checks, coerce } = schema._def;
	const isKnown = !coerce && checks.every(({ kind }) => kind === 'min');
	if (!isKnown) return orZod(schema, () => leftToZod);
	const shortest = schema.minLength ?? 0;
	return given((value) => typeof value === 'string' && value.length >= shortest);
}

const knownNumberChecks = new Set(['min', 'max', 'int', 'finite']);

function numberStep(schema: z.ZodNumber): Step {
	const { checks, coerce } = schema._def;
	const isKnown =
		!coerce &&
		checks.every(
			(check) => knownNumberChecks.has(check.kind) && (!('inclusive' in check) || check.inclusive),
		);
	if (!isKnown) return orZod(schema, () => leftToZod);
	const { minValue, maxValue, isInt } = schema;
	const isFinite = checks.some(({ kind }) => kind === 'finite');
	return given(
		(value) =>
			typeof value === 'number' &&
			!Number.isNaN(value) &&
			(minValue === null || value >= minValue) &&
			(maxValue === null || value <= maxValue) &&
			(!isInt || Number.isInteger(value)) &&
			(!isFinite || Number.isFinite(value)),
	);
}

function arrayStep(schema: z.ZodArray<Schema>): Step {
	const { exactLength, maxLength, minLength } = schema._def;
	if (exactLength || maxLength) return orZod(schema, () => leftToZod);
	const entry = stepOf(schema.element);
	const shortest = minLength?.value ?? 0;
	return (value) => {
		if (!Array.isArray(value) || value.length < shortest) return leftToZod;
		const entries: unknown[] = [];
		for (const one of value) {
			const read = entry(one);
			if (read === leftToZod) return leftToZod;
			entries.push(read);
		}
		return entries;
	};
}

function objectStep(schema: z.ZodObject<Record<string, Schema>>): Step {
	const { unknownKeys, catchall } = schema._def;
	if (unknownKeys === 'passthrough' || !(catchall instanceof z.ZodNever))
		return orZod(schema, () => leftToZod);
	const members = Object.entries(schema.shape).map(([name, member]) => ({
		name,
		step: stepOf(member),
	}));
	const names = new Set(members.map(({ name }) => name));
	return (value) => {
		if (!isPlainObject(value)) return leftToZod;
		if (unknownKeys === 'strict')
			for (const name of Object.keys(value)) if (!names.has(name)) return leftToZod;
		const output: Record<string, unknown> = {};
		for (const { name, step } of members) {
			const read = step(value[name]);
			if (read === leftToZod) return leftToZod;
			if (read !== undefined || name in value) output[name] = read;
		}
		return output;
	};
}

/** Whether it is an object of no class, such as JSON has. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function unionStep(schema: Union): Step {
	const { discriminator, optionsMap } = schema;
	return (value) => {
		const member = isPlainObject(value) ? value[discriminator] : undefined;
		const option = typeof member === 'string' ? optionsMap.get(member) : undefined;
		return option ? stepOf(option)(value) : leftToZod;
	};
}

function effectStep(schema: z.ZodEffects<Schema>): Step {
	const { effect } = schema._def;
	const inner = stepOf(schema.innerType());
	return (value) => {
		let isWrong = false;
		const context: z.RefinementCtx = { path: [], addIssue: () => (isWrong = true) };
		if (effect.type === 'preprocess') {
			const read = inner(effect.transform(value, context));
			return isWrong ? leftToZod : read;
		}
		const read = inner(value);
		if (read === leftToZod) return leftToZod;
		const made: unknown =
			effect.type === 'transform'
				? effect.transform(read, context)
				: (effect.refinement(read, context), read);
		return isWrong ? leftToZod : made;
	};
}
