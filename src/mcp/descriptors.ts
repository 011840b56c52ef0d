import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { describeCall, isBehaviorDescriber, isConfirmable, type Tool } from '../tools/index.ts';

/** The shape of the structured result of a command; its text block holds the same object. */
const COMMAND_RESULT: ListedTool['outputSchema'] = {
  type: 'object',
  properties: {
    command: { type: 'string', description: 'The command line that ran' },
    exit_code: { type: 'integer', description: 'Its exit code; -1 when a signal ended it' },
    output: { type: 'string', description: 'What it wrote to its standard output and standard error, in order' },
    truncated: { type: 'boolean', description: 'Present and true when the middle of the output was left out' },
  },
  required: ['command', 'exit_code', 'output'],
  additionalProperties: false,
};

/** What a client is told of each tool: one list for all of them, by name, so that whoever hashes it finds it unchanged. */
export function listTools(tools: readonly Tool[]): readonly ListedTool[] {
  return Object.freeze(tools.map(describeTool).sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function describeTool(tool: Tool): ListedTool {
  const { readOnly, destructive, idempotent, openWorld } = isBehaviorDescriber(tool) ? tool.behavior() : {};
  const runsCommand = describeCall(tool).present === 'command';
  return {
    name: tool.name,
    description: tool.modelDescription,
    inputSchema: tool.inputSchema as ListedTool['inputSchema'],
    ...(runsCommand && { outputSchema: COMMAND_RESULT }),
    // Whether a call needs an approval is never told here: it is no statement about what the call does.
    annotations: {
      title: isConfirmable(tool) ? tool.command : tool.name,
      readOnlyHint: readOnly ?? false,
      idempotentHint: idempotent ?? false,
      ...(destructive !== undefined && { destructiveHint: destructive }),
      ...(openWorld !== undefined && { openWorldHint: openWorld }),
    },
  };
}
