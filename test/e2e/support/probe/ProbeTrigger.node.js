/**
 * A trigger that does what each call asks for, so that the simulated n8n can be compared with a real
 * one, which loads this file as it is: see N8N_CUSTOM_EXTENSIONS.
 */
const webhook = { responseMode: 'onReceived', httpMethod: 'POST', name: 'default' };

class ProbeTrigger {
	description = {
		displayName: 'Probe Trigger',
		name: 'probeTrigger',
		group: ['trigger'],
		version: 2,
		description: 'Reports what n8n passes to a webhook',
		defaults: { name: 'Probe Trigger' },
		inputs: [],
		outputs: ['main'],
		webhooks: [
			{ ...webhook, path: 'probe' },
			{ ...webhook, path: 'probe', name: 'setup', httpMethod: 'HEAD' },
			{ ...webhook, path: 'probe', name: 'setup', httpMethod: 'GET' },
			{ ...webhook, path: 'blank', name: 'setup', responseData: '' },
			{ ...webhook, path: 'none', name: 'setup', responseData: 'noData' },
		],
		properties: [],
	};

	async webhook() {
		const request = this.getRequestObject();
		const data = this.getWorkflowStaticData('node');
		const { count = 0 } = data;
		const started = { workflowData: [[{ json: { ...describeBody(request), count } }]] };
		const { do: action = 'start' } = this.getQueryData();
		if (action.startsWith('count')) data.count = count + 1;
		switch (action) {
			case 'throw':
			case 'countAndThrow':
				throw new Error('Broken');
			case 'ignore':
				return {};
			case 'ignoreWithText':
				return { webhookResponse: 'ignored' };
			case 'ignoreWithObject':
			case 'countAndIgnore':
				return { webhookResponse: { count } };
			case 'respond':
				this.getResponseObject().status(418).json({ own: true });
				return { noWebhookResponse: true };
			case 'respondAndStart':
			case 'countAndRespond':
				this.getResponseObject().status(202).json({ own: true });
				return { noWebhookResponse: true, ...started };
			case 'startWithText':
				return { webhookResponse: 'started', ...started };
			case 'startWithObject':
				return { webhookResponse: { started: true }, ...started };
			case 'startWithTwo':
				return { workflowData: [[{ json: { item: 0 } }, { json: { item: 1 } }]] };
			case 'read':
				await request.readRawBody();
				return { workflowData: [[{ json: describeBody(request) }]] };
			default:
				return started;
		}
	}

	async execute() {
		return [this.getInputData()];
	}
}

/** The body as n8n passes it, without the random names of files. */
function describeBody({ method, contentType, encoding, body, rawBody }) {
	const isForm = contentType === 'multipart/form-data' && body !== undefined;
	return {
		method,
		contentType: contentType ?? null,
		encoding: encoding ?? null,
		type: body === null ? 'null' : typeof body,
		body: isForm ? { data: body.data ?? null, files: describeFiles(body.files) } : (body ?? null),
		rawBytes: rawBody?.length ?? null,
	};
}

function describeFiles(files) {
	return Object.entries(files ?? {}).map(([name, file]) => ({
		name,
		files: [file].flat().map(({ originalFilename, mimetype, size }) => ({
			originalFilename,
			mimetype,
			size,
		})),
	}));
}

module.exports = { ProbeTrigger };
