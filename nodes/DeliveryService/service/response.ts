/**
 * The one place that reads responses of the service, a gateway or a proxy. A body is read up to a size,
 * parsed up to a depth, and freed of the credential's secrets, which a server may quote. Text that a
 * message shows goes through `shownText`.
 */
import { z } from 'zod/v4';

import { anyObject, isWithinLimits, tryParseJson } from '../common/data';
import { oneLine } from '../common/text';

/** A response of the service. */
export interface ServiceResponse {
	kind: 'response';
	status: number;
	/** Header names are lowercase. */
	headers: Readonly<Record<string, string>>;
	/**
	 * The parsed JSON; the beginning of a text that is not JSON; undefined when the body is empty or
	 * unreadable.
	 */
	body: unknown;
	/** Why the body can't be read, to follow "is". */
	unreadable?: string;
	/** The Base URL of the request. */
	baseUrl: string;
}

/**
 * The documented responses need some 100 kB for 100 deliveries, and a list of 10,000 webhooks 3 MB. n8n
 * serves nobody while it parses JSON, for some 10 ms per MB.
 */
const maxBytes = 5_000_000;

/** The documented responses have three levels. */
const maxLevels = 20;

/** What is searched or shown of a text that is not JSON. */
const maxTextLength = 4_000;

const responseSchema = z.object({
	statusCode: z.number(),
	headers: anyObject.catch({}),
	body: z.unknown().optional(),
});

/** A body that n8n's HTTP helpers pass on as it arrives. */
const streamSchema = z.custom<AsyncIterable<Uint8Array>>(
	(value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);

/**
 * Reads a full response of n8n's HTTP helpers. Its body is a stream, so that one that is too large or
 * never ends does not fill n8n's memory.
 *
 * @param withoutSecrets removes the credential's secrets from a text
 * @param isAbandoned whether nobody waits for it any more
 * @throws the error of a connection that broke
 */
export async function readResponse(
	response: unknown,
	withoutSecrets: (text: string) => string,
	isAbandoned = () => false,
): Promise<Omit<ServiceResponse, 'baseUrl'>> {
	const { statusCode, headers, body } = responseSchema.parse(response);
	const text = await readText(body, isAbandoned);
	return {
		kind: 'response',
		status: statusCode,
		headers: Object.fromEntries(
			Object.entries(headers).map(([name, value]) => [
				name.toLowerCase(),
				withoutSecrets(String(value)),
			]),
		),
		...(text === undefined
			? { body: undefined, unreadable: `larger than ${maxBytes / 1_000_000} MB` }
			: parseBody(withoutSecrets(text))),
	};
}

/** The text of a body; undefined when it is too large. */
async function readText(body: unknown, isAbandoned: () => boolean): Promise<string | undefined> {
	const stream = streamSchema.safeParse(body).data;
	if (!stream) return typeof body === 'string' ? body : '';
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of stream) {
		bytes += chunk.length;
		// Leaving the loop closes the connection.
		if (bytes > maxBytes || isAbandoned()) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks)
		.toString('utf8')
		.replace(/^\uFEFF/, '');
}

function parseBody(text: string): Pick<ServiceResponse, 'body' | 'unreadable'> {
	if (text.trim() === '') return { body: undefined };
	const parsed = tryParseJson(text);
	if (parsed === undefined) return { body: text.slice(0, maxTextLength) };
	return isWithinLimits(parsed, maxLevels)
		? { body: parsed }
		: { body: undefined, unreadable: `nested deeper than ${maxLevels} levels` };
}

/**
 * Text from outside as a message or a log line shows it: cut, in one line, and without the signatures of
 * webhook URLs, since whoever knows one can trigger a workflow.
 */
export function shownText(text: string, maxCharacters: number): string {
	const isCut = text.length > maxTextLength;
	return oneLine(text.slice(0, maxTextLength))
		.replaceAll(/(?<=signature(=|%(25){0,3}3D))[0-9a-f]+|[0-9a-f]{64,}/gi, '***')
		.replace(isCut ? /[0-9a-f]{1,63}$/i : '', '')
		.trim()
		.slice(0, maxCharacters);
}
