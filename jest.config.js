const { compilerOptions } = require('./tsconfig.json');

/** Each file is compiled by itself: types are checked once, by `tsc`, not in every test run. */
const typescript = [
	'ts-jest',
	{ tsconfig: { ...compilerOptions, isolatedModules: true }, diagnostics: true },
];

const common = {
	testEnvironment: 'node',
	transform: { '^.+\\.ts$': typescript },
	modulePathIgnorePatterns: ['dist', '.cache', 'artifacts', 'coverage', 'playground/n8n/hosts'].map(
		(folder) => `<rootDir>/${folder}/`,
	),
};

/** Looking these up for each value that zod parses would take a third of the time of some tests. */
const injectedGlobals = ['Array', 'Map', 'Number', 'Object', 'Promise', 'Set', 'String'];

/** @type {import('jest').Config} */
module.exports = {
	// Many files wait for most of their time, so that no core need be left free.
	maxWorkers: '100%',
	// Only ends a test that would never end: no test is judged by how long it takes.
	testTimeout: 600_000,
	projects: [
		...['unit', 'service', 'engine', 'shopify'].map((name) => ({
			...common,
			// A package that makes certificates has a class Set of its own.
			sandboxInjectedGlobals: name === 'shopify' ? [] : injectedGlobals,
			displayName: name,
			testMatch: [`<rootDir>/test/{,support/}${name}/**/*.test.ts`],
			setupFilesAfterEnv: name === 'engine' ? ['<rootDir>/test/support/engine/setup.ts'] : [],
		})),
		{
			// n8n brings zod 3.25 today. The schemas must behave the same when it brings zod 4.
			...common,
			sandboxInjectedGlobals: injectedGlobals,
			displayName: 'zod 4',
			testMatch: ['<rootDir>/test/unit/{common,service,shopify,trigger}/**/*.test.ts'],
			moduleNameMapper: { '^zod/v4$': 'zod-4/v4' },
		},
	],
	collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	coverageDirectory: 'coverage',
	coverageReporters: ['text', 'lcovonly'],
	coverageThreshold: { global: { lines: 95, branches: 95 } },
};
