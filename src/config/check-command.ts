import { complain, type Subject } from './check.ts';
import { PROBLEM_RANK } from './problems.ts';

/** What the command that reads the file needs of it. `lenient` needs nothing. */
export type Mode = 'agent' | 'lenient' | 'serve';

const A2A = 'expose.agent.a2a';
const JOBS = 'expose.agent.jobs';

/** Whether something other than the file's nats_context says where to connect. */
export interface CommandOptions {
  readonly contextOptional: boolean;
}

export function checkCommand(mode: Mode, subject: Subject, options: CommandOptions): void {
  if (mode === 'agent') {
    checkAgent(subject, options);
  } else if (mode === 'serve') {
    checkServe(subject, options);
  }
}

function checkAgent(subject: Subject, { contextOptional }: CommandOptions): void {
  const { lookup } = subject;
  if (!contextOptional) {
    needContext(subject, 'remote_tools', 'to reach those agents');
  }
  const answersNobody = lookup.has('expose.agent.mcp') && !lookup.has(JOBS) && !lookup.has(`${A2A}.prompts`);
  if (!answersNobody) {
    needPrompt(subject, 'system_prompt');
  }
  needJobsContext(subject);
  needModel(subject, 'llm.model');
}

function checkServe(subject: Subject, { contextOptional }: CommandOptions): void {
  const { lookup } = subject;
  if (lookup.has(JOBS)) {
    needIdentity(subject, JOBS);
    needPrompt(subject, JOBS);
    needModel(subject, JOBS);
    needJobsContext(subject);
  }
  const servesTools = lookup.isTrue(`${A2A}.serve_tools`);
  const answersPrompts = lookup.has(`${A2A}.prompts`);
  if (lookup.has(A2A) && !servesTools && !answersPrompts && lookup.keys(A2A).join() !== 'request_timeout') {
    complain(subject, {
      rank: PROBLEM_RANK.command,
      key: A2A,
      rule: 'enables nothing',
      remedy:
        'Set serve_tools: true to serve tools, or add a prompts block to answer prompts, or leave request_timeout alone in it for an agent that only calls others.',
    });
  }
  if ((servesTools || answersPrompts) && !contextOptional) {
    needContext(
      subject,
      servesTools ? `${A2A}.serve_tools` : `${A2A}.prompts`,
      'which is the connection it answers on',
    );
  }
  if (servesTools) {
    if (lookup.text('application_path') === undefined) {
      need(
        subject,
        `${A2A}.serve_tools`,
        'application_path: built-in tools are never served, so there would be none',
        'Add application_path.',
      );
    }
    needIdentity(subject, `${A2A}.serve_tools`);
  }
  if (answersPrompts) {
    needIdentity(subject, `${A2A}.prompts`);
    needPrompt(subject, `${A2A}.prompts`);
    needModel(subject, `${A2A}.prompts`);
  }
  if (!contextOptional) {
    needContext(subject, 'remote_tools', 'to reach those agents');
  }
}

/** Adds that the block at `asker` needs something, unless `asker` is the missing key itself. */
function need(subject: Subject, asker: string, what: string, remedy: string): void {
  complain(subject, { rank: PROBLEM_RANK.command, key: asker, rule: `needs ${what}`, remedy });
}

function needContext(subject: Subject, asker: string, why: string): void {
  const { lookup } = subject;
  const asked = asker === 'remote_tools' ? lookup.entries(asker).length > 0 : true;
  if (asked && lookup.text('nats_context') === undefined) {
    need(subject, asker, `nats_context ${why}`, 'Add nats_context with the name of a NATS context.');
  }
}

function needJobsContext(subject: Subject): void {
  const { lookup } = subject;
  const found = lookup.text('nats_context') ?? lookup.text(`${JOBS}.nats_context`);
  if (lookup.has(JOBS) && found === undefined) {
    need(subject, JOBS, 'a NATS context for its queue', `Add nats_context at the top level, or ${JOBS}.nats_context.`);
  }
}

function needIdentity(subject: Subject, asker: string): void {
  if (!subject.named) {
    need(
      subject,
      asker,
      'an identity that was chosen and not derived: it is a NATS subject and the queue group that members share',
      'Add identity.',
    );
  }
}

function needPrompt(subject: Subject, asker: string): void {
  if (subject.lookup.text('system_prompt') === undefined) {
    missing(subject, asker, 'system_prompt');
  }
}

function needModel(subject: Subject, asker: string): void {
  if (subject.lookup.text('llm.model') === undefined) {
    missing(subject, asker, 'llm.model');
  }
}

function missing(subject: Subject, asker: string, key: string): void {
  const rule = asker === key ? 'is missing or empty' : `needs ${key}, which is missing or empty`;
  complain(subject, { rank: PROBLEM_RANK.command, key: asker, rule, remedy: `Add ${key}.` });
}
