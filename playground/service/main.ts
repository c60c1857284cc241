import { parseArgs } from 'node:util';

import { z } from 'zod';

import { readingNameSchema, readings } from './readings';
import { startService } from './server';

const defaultPort = '8787';

const portSchema = z.coerce.number().int().min(0).max(65_535);

/**
 * Starts the service from the command line (`--port <number>`, `--reading <name>`) and stays until
 * it is ended.
 */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { port: { type: 'string', default: defaultPort }, reading: { type: 'string' } },
	});
	const port = portSchema.safeParse(values.port);
	if (!port.success) throw new Error(`--port must be a number from 0 to 65535: ${values.port}`);
	const reading = readingNameSchema.safeParse(values.reading ?? null);
	if (!reading.success) throw new Error(`--reading: ${reading.error.issues[0]?.message}`);
	const service = await startService({ port: port.data, reading: values.reading });
	const { baseUrl, apiKeyId, apiSecret, companyId } = service.credential;
	console.log(`Local service: ${baseUrl} (its page is at the same address)`);
	console.log(`API key ID ${apiKeyId}, API secret ${apiSecret}, company ID ${companyId}`);
	if (reading.data !== null)
		console.log(`Reading ${reading.data}: ${readings[reading.data]?.says}`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void service.close());
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
