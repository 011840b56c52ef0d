import type { ReplyCode } from '../protocol/index.ts';

/** What `call` and the error reference say about one code of a reply. */
export interface ReplyCodeInfo {
  /** How the ending is called in JSON output. */
  readonly class: 'invalid_input' | 'unknown_tool' | 'capacity' | 'draining' | 'interrupted' | 'timeout' | 'failed';
  /** The exit code of `call`. */
  readonly exitCode: number;
  readonly meaning: string;
  /** AGENT and TOOL stand for the names of the call. */
  readonly remedy: string;
}

const BY_CODE: Readonly<Record<ReplyCode, ReplyCodeInfo>> = {
  invalid_input: {
    class: 'invalid_input',
    exitCode: 65,
    meaning: 'The arguments do not fit the tool. Nothing was run.',
    remedy: 'fisk discover AGENT TOOL shows what the tool takes.',
  },
  unknown_tool: {
    class: 'unknown_tool',
    exitCode: 65,
    meaning: 'The agent serves no tool of that name. Nothing was run.',
    remedy: 'fisk discover AGENT shows its tools.',
  },
  capacity: {
    class: 'capacity',
    exitCode: 75,
    meaning: 'The agent runs as many commands as it may, also after the retries. Nothing was run.',
    remedy: 'Try again later, or raise max_concurrent_tools at the agent.',
  },
  draining: {
    class: 'draining',
    exitCode: 75,
    meaning: 'The agent is leaving, and no other member of it answered the retries. Nothing was run.',
    remedy: 'Try again when the agent is back.',
  },
  interrupted: {
    class: 'interrupted',
    exitCode: 75,
    meaning: 'The agent left while the command ran. The outcome is not known, and the command may still do its work.',
    remedy:
      'Look at what the command did before you repeat the call; only one of a tool that is read-only or idempotent may be repeated unseen.',
  },
  timeout: {
    class: 'timeout',
    exitCode: 124,
    meaning:
      'The command did not end within the time that the agent allows it, and was ended. Its work may be incomplete.',
    remedy: 'Ask the command for less work, or raise expose.agent.a2a.tool_timeout at the agent.',
  },
  deferred_unsupported: {
    class: 'failed',
    exitCode: 70,
    meaning: 'The tool would answer later or ask an operator, and a call over NATS can wait for neither.',
    remedy: 'Use the tool where its agent runs.',
  },
};

/** Every code that a reply of a failed call may carry, as the protocol names them. */
export const replyCodes: ReadonlyMap<string, ReplyCodeInfo> = new Map(Object.entries(BY_CODE));
