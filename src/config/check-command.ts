import { complain, type Subject } from './check.ts';
import { PROBLEM_RANK } from './problems.ts';

/** What the command that reads the file needs of it. `lenient` and `mcp` need nothing. */
export type Mode = 'agent' | 'lenient' | 'mcp' | 'serve';

const A2A = 'expose.agent.a2a';
const JOBS = 'expose.agent.jobs';
const ADD_CONTEXT = 'Add nats_context with the name of a NATS context.';
const CONTEXT_OR_DEV = 'Add nats_context with the name of a NATS context, or try it out with --dev, which needs none.';

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
    needContext(subject, 'remote_tools', ' to reach those agents');
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
  const misspelt = subject.problems.within(A2A);
  const onlyCalls = lookup.keys(A2A).join() === 'request_timeout';
  if (lookup.has(A2A) && !servesTools && !answersPrompts && !onlyCalls && !misspelt) {
    complain(subject, {
      rank: PROBLEM_RANK.command,
      key: A2A,
      rule: 'enables nothing',
      remedy:
        'Set serve_tools: true to serve tools (a prompts block, to answer prompts, is for later versions), or leave request_timeout alone in it for an agent that only calls others.',
    });
  }
  if ((servesTools || answersPrompts) && !contextOptional) {
    needContext(
      subject,
      servesTools ? `${A2A}.serve_tools` : `${A2A}.prompts`,
      ', which is the connection it answers on',
      CONTEXT_OR_DEV,
    );
  }
  if (servesTools) {
    if (lacks(subject, 'application_path')) {
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
    needContext(subject, 'remote_tools', ' to reach those agents', CONTEXT_OR_DEV);
  }
}

/** Whether the file has no such key. One that is misspelt is reported as that and not missed as well. */
function lacks({ lookup, problems }: Subject, key: string): boolean {
  return lookup.text(key) === undefined && !problems.meant(key);
}

/** Adds that the block at `asker` needs something, unless `asker` is the missing key itself. */
function need(subject: Subject, asker: string, what: string, remedy: string): void {
  complain(subject, { rank: PROBLEM_RANK.command, key: asker, rule: `needs ${what}`, remedy });
}

function needContext(subject: Subject, asker: string, why: string, remedy = ADD_CONTEXT): void {
  const { lookup } = subject;
  const asked = asker === 'remote_tools' ? lookup.entries(asker).length > 0 : true;
  if (asked && lacks(subject, 'nats_context')) {
    need(subject, asker, `nats_context${why}`, remedy);
  }
}

function needJobsContext(subject: Subject): void {
  const { lookup } = subject;
  if (lookup.has(JOBS) && lacks(subject, 'nats_context') && lacks(subject, `${JOBS}.nats_context`)) {
    need(subject, JOBS, 'a NATS context for its queue', `Add nats_context at the top level, or ${JOBS}.nats_context.`);
  }
}

function needIdentity(subject: Subject, asker: string): void {
  if (!subject.named && lacks(subject, 'identity')) {
    need(
      subject,
      asker,
      'an identity that was chosen and not derived: it is a NATS subject and the queue group that members share',
      'Add identity.',
    );
  }
}

function needPrompt(subject: Subject, asker: string): void {
  if (lacks(subject, 'system_prompt')) {
    missing(subject, asker, 'system_prompt');
  }
}

function needModel(subject: Subject, asker: string): void {
  if (lacks(subject, 'llm.model')) {
    missing(subject, asker, 'llm.model');
  }
}

function missing(subject: Subject, asker: string, key: string): void {
  const rule = asker === key ? 'is missing or empty' : `needs ${key}, which is missing or empty`;
  complain(subject, { rank: PROBLEM_RANK.command, key: asker, rule, remedy: `Add ${key}.` });
}
