import { parseArgs } from 'node:util';

import { z } from 'zod';

import { startService } from './server';

const defaultPort = '8787';

const portSchema = z.coerce.number().int().min(0).max(65_535);

/** Starts the service from the command line (`--port N`) and stays until it is ended. */
async function main(): Promise<void> {
	const { values } = parseArgs({ options: { port: { type: 'string', default: defaultPort } } });
	const port = portSchema.safeParse(values.port);
	if (!port.success) throw new Error(`--port must be a number from 0 to 65535: ${values.port}`);
	const service = await startService({ port: port.data });
	const { baseUrl, apiKeyId, apiSecret, companyId } = service.credential;
	console.log(`Local service: ${baseUrl} (its page is at the same address)`);
	console.log(`API key ID ${apiKeyId}, API secret ${apiSecret}, company ID ${companyId}`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void service.close());
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
