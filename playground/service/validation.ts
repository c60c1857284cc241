import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { RequestHandler } from 'express';
import { parse } from 'yaml';
import { z } from 'zod';

import { Rejection } from './shapes';

const file = join(__dirname, 'openapi.yaml');
const document = z.record(z.unknown()).parse(parse(readFileSync(file, 'utf8')));
const ajv = addFormats(new Ajv({ strict: false })).addSchema(document, 'openapi');

/** Rejects a request with another media type (415), or with a body that openapi.yaml rejects (400). */
export function validateBody(mediaType: string, schemaName: string): RequestHandler {
	const validate = ajv.getSchema(`openapi#/components/schemas/${schemaName}`);
	if (!validate) throw new Error(`openapi.yaml has no schema ${schemaName}`);
	return (req, _res, next) => {
		if (!req.is(mediaType))
			throw new Rejection(415, 'UNSUPPORTED_MEDIA_TYPE', `The body must be ${mediaType}`);
		if (validate(req.body) !== true) {
			const problems = ajv.errorsText(validate.errors, { dataVar: '/body' });
			throw new Rejection(400, 'BAD_REQUEST', problems);
		}
		next();
	};
}

/** Rejects query parameters: openapi.yaml has none. */
export const rejectQuery: RequestHandler = (req, _res, next) => {
	const [name] = Object.keys(req.query);
	if (name !== undefined) throw new Rejection(400, 'BAD_REQUEST', `Unknown parameter ${name}`);
	next();
};

/** Rejects another method of a known path. */
export const rejectMethod: RequestHandler = ({ method }) => {
	throw new Rejection(405, 'METHOD_NOT_ALLOWED', `${method} is not allowed`);
};

/** Rejects an unknown path. */
export const rejectPath: RequestHandler = ({ path }) => {
	throw new Rejection(404, 'NOT_FOUND', `There is no path ${path}`);
};
