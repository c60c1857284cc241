/** Reads examples/compose.yaml as Docker Compose does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';

const text = readFileSync(join(projectFolder, 'examples/compose.yaml'), 'utf8');

/** The lines of the file .env that the head of examples/compose.yaml asks for. */
export const sampleVariables: Readonly<Record<string, string>> = Object.fromEntries(
	[...text.matchAll(/^# {6}(\w+)=(\S+)/gm)].map(([, name = '', value = '']) => [name, value]),
);

const serviceSchema = z.object({
	image: z.string().optional(),
	build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
	command: z.string().optional(),
	environment: z.record(z.string()).default({}),
	healthcheck: z.object({ test: z.array(z.string()) }).optional(),
});

const fileSchema = z.object({ services: z.record(serviceSchema) });

/** A service of a Compose file. */
export type ComposeService = z.infer<typeof serviceSchema>;

/**
 * Returns the services of examples/compose.yaml by name, with the values of variables.
 *
 * @param variables the file .env
 * @throws Error with the message in the file if a required variable is missing
 */
export function composeServices(
	variables: Readonly<Record<string, string>>,
): Record<string, ComposeService> {
	const filledIn = text.replace(/\$\{(\w+)(?::\?([^}]*))?\}/g, (_, name: string, message = '') => {
		const value = variables[name];
		if (value === undefined) throw new Error(`${name} is missing: ${message}`);
		return value;
	});
	return fileSchema.parse(parse(filledIn, { merge: true })).services;
}
