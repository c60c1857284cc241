import { createServer, type Server } from 'node:http';

import express from 'express';
import { z } from 'zod';

const chatRequestSchema = z.object({
	messages: z.array(z.object({ role: z.string(), content: z.unknown() }).passthrough()),
	/** Whether to stream the response, as older versions of the AI Agent request. */
	stream: z.boolean().default(false),
	tools: z
		.array(
			z.object({
				function: z.object({
					name: z.string(),
					description: z.string(),
					parameters: z.record(z.unknown()),
				}),
			}),
		)
		.default([]),
});

/** A request of n8n to the model. */
export type ChatRequest = z.infer<typeof chatRequestSchema>;

/** A fake language model that calls an offered tool with predefined arguments. */
export interface ScriptedModel {
	/** The base URL for an OpenAI chat model. */
	baseUrl: string;
	/** All requests so far, the oldest first. */
	requests: ChatRequest[];
	/**
	 * Sets the tool call of the following conversations.
	 *
	 * @param toolArguments the arguments of the call
	 * @param toolName the tool to call; defaults to the first one offered
	 */
	setToolCall(toolArguments: object, toolName?: string): void;
	close(): Promise<void>;
}

const finalMessage = 'That is done.';

/**
 * Starts the fake model on the loopback address. It implements the part of OpenAI's chat completions
 * that n8n's AI Agent needs: it responds to a user message with a tool call, and to the tool's result
 * with a sentence.
 */
export async function startScriptedModel(): Promise<ScriptedModel> {
	const requests: ChatRequest[] = [];
	let toolArguments: object = {};
	let toolName: string | undefined;
	const app = express().use(express.json());
	app.post('/v1/chat/completions', (request, response) => {
		const chatRequest = chatRequestSchema.parse(request.body);
		requests.push(chatRequest);
		const tool = chatRequest.tools.find(
			({ function: { name } }) => toolName === undefined || name === toolName,
		);
		const callsTool = tool && chatRequest.messages.at(-1)?.role !== 'tool';
		const message = callsTool
			? {
					role: 'assistant',
					content: null,
					tool_calls: [
						{
							id: `call_${requests.length}`,
							type: 'function',
							function: { name: tool.function.name, arguments: JSON.stringify(toolArguments) },
						},
					],
				}
			: { role: 'assistant', content: finalMessage };
		const completion = { id: `completion-${requests.length}`, created: 0, model: 'scripted' };
		const finishReason = callsTool ? 'tool_calls' : 'stop';
		if (chatRequest.stream) {
			const delta = {
				...message,
				...('tool_calls' in message && {
					tool_calls: message.tool_calls?.map((call, index) => ({ index, ...call })),
				}),
			};
			const chunks = [
				{ index: 0, delta, finish_reason: null },
				{ index: 0, delta: {}, finish_reason: finishReason },
			].map((choice) =>
				JSON.stringify({ ...completion, object: 'chat.completion.chunk', choices: [choice] }),
			);
			response.type('text/event-stream');
			response.end([...chunks, '[DONE]'].map((chunk) => `data: ${chunk}\n\n`).join(''));
			return;
		}
		response.json({
			...completion,
			object: 'chat.completion',
			choices: [{ index: 0, message, finish_reason: finishReason }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		});
	});
	const server = createServer(app);
	return {
		baseUrl: `http://127.0.0.1:${await listen(server)}/v1`,
		requests,
		setToolCall(newArguments, newToolName) {
			toolArguments = newArguments;
			toolName = newToolName;
		},
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('Expected a port');
	return address.port;
}
