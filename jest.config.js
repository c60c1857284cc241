const { compilerOptions } = require('./tsconfig.json');

/** Compiles each file in isolation: `npm run lint` checks the types. */
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

/** Without these, looking them up for each parsed value takes a third of the time of some tests. */
const injectedGlobals = ['Array', 'Map', 'Number', 'Object', 'Promise', 'Set', 'String'];

/** @type {import('jest').Config} */
module.exports = {
	// Many tests mostly wait, so no core needs to stay free.
	maxWorkers: '100%',
	// Only ends a test that hangs: no test passes or fails because of timings.
	testTimeout: 600_000,
	// A loaded machine takes seconds to free the memory of a worker that has nothing left to do. One with an
	// open handle is still reported.
	workerGracefulExitTimeout: 30_000,
	projects: [
		...['unit', 'service', 'engine', 'shopify'].map((name) => ({
			...common,
			// A package that creates certificates defines its own class Set.
			sandboxInjectedGlobals: name === 'shopify' ? [] : injectedGlobals,
			displayName: name,
			testMatch: [`<rootDir>/test/{,support/}${name}/**/*.test.ts`],
			setupFilesAfterEnv: name === 'engine' ? ['<rootDir>/test/support/engine/setup.ts'] : [],
		})),
		{
			// n8n provides zod 3.25 today. The schemas must behave the same when it provides zod 4.
			...common,
			sandboxInjectedGlobals: injectedGlobals,
			displayName: 'zod 4',
			testMatch: [
				'<rootDir>/test/unit/service/{schemas,validation,events}.test.ts',
				'<rootDir>/test/unit/shopify/order.test.ts',
			],
			moduleNameMapper: { '^zod/v4$': 'zod-4/v4' },
		},
	],
	collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	coverageDirectory: 'coverage',
	coverageReporters: ['text', 'lcovonly'],
	coverageThreshold: { global: { lines: 95, branches: 95 } },
};
