/**
 * This project's own rules, for all files. ../eslint.config.mjs is n8n's config for what is published,
 * unchanged, as n8n Cloud requires.
 */
import { dirname } from 'node:path';

import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { createNodeResolver, flatConfigs, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const nodeGlobals = Object.fromEntries(
	[
		'Buffer',
		'URL',
		'console',
		'fetch',
		'performance',
		'process',
		'setTimeout',
		'structuredClone',
	].map((name) => [name, 'readonly']),
);
const commonJsGlobals = { require: 'readonly', module: 'writable', __dirname: 'readonly' };

const nodesFolder = './nodes/DeliveryService';

/** The layers of the nodes, each with the lower layers that it may import from. */
const layers = {
	common: [],
	service: ['common'],
	ledger: ['common'],
	shopify: ['common', 'service'],
	sending: ['common', 'service', 'ledger', 'shopify'],
	messages: ['common', 'service', 'ledger', 'shopify', 'sending'],
	trigger: ['common', 'service'],
	operations: ['common', 'service', 'ledger', 'shopify', 'sending', 'messages'],
};

const zones = Object.entries(layers).map(([layer, below]) => ({
	target: `${nodesFolder}/${layer}`,
	from: nodesFolder,
	except: [layer, ...below].map((name) => `./${name}`),
	message: `${layer}/ may import from ${below.join(', ') || 'no other layer'} only.`,
}));

export default defineConfig(
	globalIgnores([
		'**/node_modules',
		'**/dist',
		'coverage',
		'.cache',
		'artifacts',
		'playground/n8n/hosts',
	]),
	{
		// n8n's verification ignores inline directives, so a rule that is disabled inline fails there.
		linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
	},
	{
		files: ['**/*.{js,cjs,mjs}'],
		extends: [js.configs.recommended],
		languageOptions: { globals: nodeGlobals },
	},
	{
		files: ['playground/page/*.mjs'],
		languageOptions: { globals: { document: 'readonly', EventSource: 'readonly' } },
	},
	{
		files: ['**/*.{js,cjs}'],
		languageOptions: { sourceType: 'commonjs', globals: commonJsGlobals },
	},
	{
		files: ['**/*.ts'],
		extends: [js.configs.recommended, tseslint.configs.recommendedTypeChecked],
		languageOptions: {
			parserOptions: { projectService: true, tsconfigRootDir: dirname(import.meta.dirname) },
		},
		rules: {
			'no-restricted-syntax': [
				'error',
				{
					selector: 'SpreadElement > :matches(ArrayExpression, ObjectExpression)',
					message: 'Write the elements themselves: a spread only saves lines.',
				},
			],
		},
	},
	{
		files: ['test/**/*.ts'],
		rules: {
			'no-restricted-globals': ['error', { name: 'it', message: 'Use test instead.' }],
		},
	},
	{
		files: ['{nodes,credentials}/**/*.ts'],
		plugins: { 'import-x': importX },
		settings: {
			...flatConfigs.typescript.settings,
			'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts'] })],
		},
		rules: {
			'import-x/no-cycle': 'error',
			'import-x/order': ['error', { alphabetize: { order: 'asc' }, named: false }],
			'import-x/no-restricted-paths': ['error', { zones }],
		},
	},
	{
		files: ['nodes/DeliveryService/{service,shopify,sending,ledger}/**/*.ts'],
		ignores: ['nodes/DeliveryService/service/client.ts'],
		rules: {
			'@typescript-eslint/no-restricted-imports': [
				'error',
				{
					name: 'n8n-workflow',
					allowTypeImports: true,
					message: 'In these folders, only service/client.ts uses n8n at run time.',
				},
			],
		},
	},
);
