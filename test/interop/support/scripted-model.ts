/**
 * A model endpoint that plays a script: each answer of the "model" is one tool call, and the last one repeats what the
 * tools gave as text. With it the agent loop of the other implementation becomes a caller of ours.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedCall {
  tool: string;
  input: object;
}

export interface ToolResult {
  isError: boolean;
  text: string;
}

interface Block {
  type: string;
  is_error?: boolean;
  content?: { text: string }[];
}

export interface ScriptedModel {
  readonly url: string;
  /** What the agent gave back for each call, in order. */
  readonly results: ToolResult[];
  /** The tools that were offered to the model. */
  readonly offered: { name: string; description: string }[];
  close(): void;
}

export async function startScriptedModel(script: readonly ScriptedCall[]): Promise<ScriptedModel> {
  const results: ToolResult[] = [];
  const offered: ScriptedModel['offered'] = [];
  let turn = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString());
    if (offered.length === 0) offered.push(...asked.tools);
    for (const block of asked.messages.at(-1).content as Block[]) {
      if (block.type !== 'tool_result') continue;
      results.push({ isError: block.is_error === true, text: (block.content ?? []).map(({ text }) => text).join('') });
    }
    const call = script[turn++];
    const block = call
      ? { type: 'tool_use', id: `call_${turn}`, name: call.tool, input: call.input }
      : { type: 'text', text: 'done' };
    const message = {
      id: `message_${turn}`,
      type: 'message',
      role: 'assistant',
      model: asked.model,
      content: [block],
      stop_reason: call ? 'tool_use' : 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, results, offered, close: () => server.close() };
}
