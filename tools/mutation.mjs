/**
 * `npm run test:mutation -- <folder or file>`: changes the code of a folder of the nodes, such as `ledger`,
 * or of a file, such as `ledger/store.ts`, in many small ways, and lists the changes that the folder's
 * tests in test/unit don't notice. Texts are not changed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Stryker } from '@stryker-mutator/core';

import { projectFolder } from './setup.mjs';

const [path = ''] = process.argv.slice(2);
const [folder] = path.split('/');
if (!folder || !existsSync(join(projectFolder, 'test/unit', folder)))
	throw new Error('Name a folder of nodes/DeliveryService that has unit tests, such as ledger.');
const { compilerOptions } = JSON.parse(readFileSync(join(projectFolder, 'tsconfig.json'), 'utf8'));

const typescript = [
	'ts-jest',
	// The changed code may have wrong types.
	{ tsconfig: { ...compilerOptions, isolatedModules: true }, diagnostics: false },
];

// Enough to notice a change of code, and the same ones for each change.
Object.assign(process.env, { SEQUENCES: '100', SEQUENCES_SEED: '1', ...process.env });

process.chdir(projectFolder);
await new Stryker({
	mutate: [`nodes/DeliveryService/${path}${path.endsWith('.ts') ? '' : '/**/*.ts'}`],
	mutator: { excludedMutations: ['StringLiteral'] },
	testRunner: 'jest',
	jest: {
		projectType: 'custom',
		config: {
			projects: [], // Each one of jest.config.js would run all tests again.
			testEnvironment: 'node',
			transform: { '^.+\\.ts$': typescript },
			testMatch: [`<rootDir>/test/unit/${folder}/**/*.test.ts`],
			setupFiles: ['<rootDir>/tools/withoutShrinking.cjs'],
			testTimeout: 600_000,
		},
	},
	disableTypeChecks: 'nodes/**/*.ts',
	ignorePatterns: ['.cache', 'dist', 'coverage', 'playground/n8n/hosts', 'docs/images'],
	tempDirName: '.cache/mutation',
	reporters: ['clear-text', 'progress'],
	clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
	allowConsoleColors: false,
	concurrency: 2,
}).runMutationTest();
