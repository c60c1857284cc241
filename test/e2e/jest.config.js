const { compilerOptions } = require('../../tsconfig.json');

const minutes = 60_000;

/** @type {import('jest').Config} */
module.exports = {
	rootDir: __dirname,
	testEnvironment: 'node',
	testMatch: ['<rootDir>/*.e2e.ts'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: { ...compilerOptions, isolatedModules: true } }],
	},
	setupFiles: ['<rootDir>/support/setup.js'],
	testTimeout: 10 * minutes,
	reporters: ['default', '<rootDir>/support/tableReporter.js'],
};
