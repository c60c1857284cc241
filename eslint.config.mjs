import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { defineConfig, globalIgnores } from 'eslint/config';
import { createNodeResolver, flatConfigs, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const nodeGlobals = Object.fromEntries(
	['Buffer', 'URL', 'console', 'fetch', 'process', 'setTimeout'].map((name) => [name, 'readonly']),
);
const commonJsGlobals = { require: 'readonly', module: 'writable', __dirname: 'readonly' };

/** The files that n8n's verification checks: the published sources and their manifest. */
const shipped = ['package.json', '{nodes,credentials}/**/*.{ts,json}'];

const nodesFolder = './nodes/DeliveryService';

/** The layers of the nodes, each with the lower layers that it may import from. */
const layers = {
	common: [],
	service: ['common'],
	deduplication: ['common'],
	shopify: ['common', 'service'],
	sending: ['common', 'service', 'deduplication'],
	trigger: ['common', 'service', 'deduplication'],
	resources: ['common', 'service', 'deduplication', 'shopify', 'sending'],
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
		'package-lock.json',
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
			parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
		},
	},
	{
		files: ['test/**/*.ts'],
		rules: {
			'no-restricted-globals': ['error', { name: 'it', message: 'Use test instead.' }],
		},
	},
	{
		files: ['**/*.json'],
		languageOptions: { parser: tseslint.parser },
	},
	{
		files: shipped,
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: { 'no-console': 'error' },
	},
	{
		files: ['package.json'],
		rules: n8nNodesBase.configs.community.rules,
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// For n8n's own repository, where documentation is identified by a name, not by its URL.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			// The community plugin has a stricter rule for this.
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// These two accept only the text 'main'; the community plugin requires the named constant.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			// Fields show the limits of the service where they apply.
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
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
			'max-lines': ['error', 300],
			'import-x/no-cycle': 'error',
			'import-x/no-restricted-paths': ['error', { zones }],
		},
	},
	{
		files: ['nodes/DeliveryService/{service,shopify,sending,deduplication}/**/*.ts'],
		ignores: ['nodes/DeliveryService/service/{client,nodeErrors}.ts'],
		rules: {
			'@typescript-eslint/no-restricted-imports': [
				'error',
				{
					name: 'n8n-workflow',
					allowTypeImports: true,
					message: 'Only service/client.ts and service/nodeErrors.ts use n8n at run time.',
				},
			],
		},
	},
);
