import { LONGEST_NAME } from '../host/index.ts';
import { logText, type StormEvent } from '../observe/index.ts';
import type { ProcessLog } from '../process/index.ts';
import type { ToolRequest } from '../protocol/index.ts';

/** The name a caller gave, fit to be told back: quoted, and not long. */
export function nameOf({ name }: ToolRequest): string {
  return JSON.stringify(name.slice(0, LONGEST_NAME));
}

/**
 * What joins the log lines of one call. Who called is a claim that nothing verifies, and a text of any length, which
 * would cost the line: it is cut.
 */
export function callFields(message: ToolRequest): Record<string, unknown> {
  const { name, instance } = message.sender;
  return {
    request: message.request,
    sender: logText(instance === undefined ? name : `${logText(name)}/${instance}`),
    caller: logText(name),
    caller_verified: false,
    // A name that is no tool's is a stranger's text of any length.
    tool: message.name.slice(0, LONGEST_NAME),
    kind: 'application',
  };
}

/** What is logged of a call for which nothing ran: what is counted, and the fields of its own line if it gets one. */
export function refusal(
  message: ToolRequest,
  code: string,
  more: Record<string, unknown> = {},
): [StormEvent, () => Record<string, unknown>] {
  return [{ code, sender: message.sender.name }, () => ({ ...callFields(message), ...more })];
}

/** For lines about the process of a call, so that they are joined to the others of it. */
export function callLog(log: ProcessLog, { request }: ToolRequest): ProcessLog {
  return {
    info: (fields, message) => log.info({ request, ...fields }, message),
    warn: (fields, message) => log.warn({ request, ...fields }, message),
  };
}
