import fc from 'fast-check';

/** A parameter and input items, to compare the parameter reader of the nodes with that of n8n. */
export interface ParameterCase {
	/** The value of the node's parameter `value`, as the editor stores it. */
	value: unknown;
	/** The path of the parameter to read, which may not exist. */
	path: string;
	fallback: unknown;
	/** The JSON of the input items. */
	items: Array<Record<string, unknown>>;
}

/** The field names in the expressions below, some of them with a meaning in JavaScript or n8n. */
const names = [
	'a',
	'b',
	'list',
	'order_id',
	'shipping address',
	'0',
	'length',
	'toString',
	'hasOwnProperty',
	'constructor',
	'constructor_id',
	'prototype',
	'caller',
	'getPrototypeOf',
	'__isError',
	'json',
	'getOwnPropertyDescriptor',
	'prepareStackTrace',
	'isProxy',
	'toJSON',
	'a.constructor',
	'__proto__',
	'binding',
	'mainModule',
	'defineProperty',
	'__defineGetter__',
	'my_constructor',
	'Prototype',
	'valueOf',
	'isPrototypeOf',
];

const step = fc.oneof(
	...[...names, 'missing']
		.filter((name) => /^[a-z_]\w*$/i.test(name))
		.map((name) => fc.constant(`.${name}`)),
	fc.constantFrom('["a"]', '[0]', '?.a', '.a()', ' .a', '.ä'),
);

const path = fc.array(step, { maxLength: 3 }).map((steps) => `$json${steps.join('')}`);

const expression = fc.oneof(
	{ weight: 6, arbitrary: path.map((text) => `={{ ${text} }}`) },
	path.map((text) => `={{${text}}}`),
	path.map((text) => `={{\n\t${text}\n}}`),
	path.map((text) => `={{ ${text} }} `),
	path.map((text) => `= {{ ${text} }}`),
	path.map((text) => `=Order {{ ${text} }}`),
	path.map((text) => `={{ ${text} }}{{ ${text} }}`),
	path.map((text) => `={{ String(${text}) }}`),
	fc.constantFrom(
		'=',
		'=text',
		'={{ }}',
		'={{ $itemIndex }}',
		'={{ $json',
		'={{ json.a }}',
		'={{ $JSON }}',
		'={{ $json.a + 1 }}',
		'={{ $json.list.first() }}',
		'={{ $input.item.json }}',
		'={{ {} }}',
		'={{ $now.year > 2000 }}',
		'={{ [$json.a] }}',
		'={{ ) }}',
		'={{ $json }} }}',
		'={{ undefined }}',
	),
);

const plainText = fc.oneof(
	fc.string(),
	fc.constantFrom('{{ $json.a }}', ' ={{ $json.a }}', '', '#1001'),
);

const constant = fc.oneof(plainText, fc.boolean(), fc.integer(), fc.double(), fc.constant(null));

/** Fields, collections, fixed collections with several entries and resource locators. */
const value = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3 },
		{ weight: 3, arbitrary: expression },
		constant,
		fc.dictionary(fc.constantFrom('name', 'size', 'a', 'options'), tie('value')),
		fc.record({ package: fc.array(fc.dictionary(fc.constantFrom('name', 'qty'), tie('value'))) }),
		fc.array(tie('value'), { maxLength: 3 }),
		fc.record({
			__rl: fc.constant(true),
			mode: fc.constantFrom('list', 'id'),
			value: fc.oneof(expression, plainText),
		}),
	),
})).value;

const data = fc.letrec((tie) => ({
	data: fc.oneof(
		{ maxDepth: 4 },
		constant,
		fc.constantFrom('=text', '={{ $json.a }}', NaN, Infinity, -0, undefined),
		fc.date({ noInvalidDate: true }),
		fc.dictionary(fc.constantFrom(...names), tie('data')),
		fc.array(tie('data'), { maxLength: 3 }),
	),
}));

/** Parameters with expressions at any depth, and items with or without the fields that they read. */
export const parameterCases: fc.Arbitrary<ParameterCase> = fc.record({
	value,
	path: fc.constantFrom(
		'value',
		'value',
		'value',
		'value.name',
		'value.a.size',
		'missing',
		'missing.a',
	),
	fallback: fc.constantFrom(undefined, '', 0, true, {}),
	items: fc.array(
		fc.dictionary(fc.constantFrom(...names), data.data).map((fields) => ({ ...fields })),
		{ minLength: 1, maxLength: 3 },
	),
});
