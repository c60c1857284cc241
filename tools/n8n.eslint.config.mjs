/** n8n's own ESLint config, unchanged: `npm run lint` applies it to what is published. */
export { config as default } from '@n8n/node-cli/eslint';
