import { createServer, type Server } from 'node:http';

import express from 'express';
import { z } from 'zod';

const conversationSchema = z.object({
	messages: z.array(z.object({ role: z.string(), content: z.unknown() }).passthrough()),
	/** Whether the answer is to come in pieces, as older versions of the AI Agent want it. */
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

/** What n8n asked the model. */
export type Conversation = z.infer<typeof conversationSchema>;

/** A stand-in for a language model, which calls the tool that it is offered as it was told to. */
export interface ScriptedModel {
	/** Where a chat model of the OpenAI kind is to be reached. */
	baseUrl: string;
	/** All that it was asked, in order. */
	conversations: Conversation[];
	/**
	 * The arguments with which it calls a tool in each conversation from now on, by default the first
	 * that it is offered.
	 */
	callWith(toolArguments: object, toolName?: string): void;
	close(): Promise<void>;
}

const answer = 'That is done.';

/**
 * Starts the stand-in on the loopback address. It speaks the chat completions of OpenAI as far as
 * n8n's AI Agent needs them: it answers the user's words with a call of a tool,
 * and the tool's result with a sentence.
 */
export async function startScriptedModel(): Promise<ScriptedModel> {
	const conversations: Conversation[] = [];
	let toolArguments: object = {};
	let toolName: string | undefined;
	const app = express().use(express.json());
	app.post('/v1/chat/completions', (request, response) => {
		const conversation = conversationSchema.parse(request.body);
		conversations.push(conversation);
		const tool = conversation.tools.find(
			({ function: { name } }) => toolName === undefined || name === toolName,
		);
		const calls = tool && conversation.messages.at(-1)?.role !== 'tool';
		const message = calls
			? {
					role: 'assistant',
					content: null,
					tool_calls: [
						{
							id: `call_${conversations.length}`,
							type: 'function',
							function: { name: tool.function.name, arguments: JSON.stringify(toolArguments) },
						},
					],
				}
			: { role: 'assistant', content: answer };
		const completion = {
			id: `completion-${conversations.length}`,
			created: 0,
			model: 'scripted',
		};
		const finish = calls ? 'tool_calls' : 'stop';
		if (conversation.stream) {
			const delta = {
				...message,
				...('tool_calls' in message && {
					tool_calls: message.tool_calls?.map((call, index) => ({ index, ...call })),
				}),
			};
			const chunks = [
				{ index: 0, delta, finish_reason: null },
				{ index: 0, delta: {}, finish_reason: finish },
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
			choices: [{ index: 0, message, finish_reason: finish }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		});
	});
	const server = createServer(app);
	return {
		baseUrl: `http://127.0.0.1:${await listen(server)}/v1`,
		conversations,
		callWith(given, name) {
			toolArguments = given;
			toolName = name;
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
	if (address === null || typeof address === 'string') throw new Error('a port was expected');
	return address.port;
}
