import { parseArgs } from 'node:util';

import { z } from 'zod';

import { startService } from './server';
import { variantNameSchema, variants } from './variants';

const defaultPort = '8787';

const portSchema = z.coerce.number().int().min(0).max(65_535);

/**
 * Starts the service from the command line (`--port <number>`, `--variant <name>`). It runs until the
 * process receives SIGINT or SIGTERM.
 */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { port: { type: 'string', default: defaultPort }, variant: { type: 'string' } },
	});
	const port = portSchema.safeParse(values.port);
	if (!port.success)
		throw new Error(`--port must be a number from 0 to 65535, not "${values.port}"`);
	const variant = variantNameSchema.safeParse(values.variant ?? null);
	if (!variant.success) throw new Error(`--variant: ${variant.error.issues[0]?.message}`);
	const service = await startService({ port: port.data, variant: values.variant });
	const { baseUrl, apiKeyId, apiSecret, companyId } = service.credential;
	console.log(`Local service: ${baseUrl} (open this URL to see its page)`);
	console.log(`API key ID ${apiKeyId}, API secret ${apiSecret}, company ID ${companyId}`);
	if (variant.data !== null) {
		const { description, rule } = variants[variant.data];
		console.log(`API variant ${variant.data}: ${description} The rule for nodes: ${rule}`);
	}
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void service.close());
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
