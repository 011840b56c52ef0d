import { basename } from 'node:path';
import { complain, type Subject } from './check.ts';
import { PROBLEM_RANK, valueRank } from './problems.ts';
import { identityWords, shown } from './wording.ts';

/** What an agent without a name and without an application is called. */
const NAMELESS = 'fisk-ai';

const IDENTITY = /^[a-zA-Z0-9_-]+$/;

/** The name of an agent whose file does not give one. */
export function derivedIdentity(applicationPath: string | undefined): string {
  return basename(applicationPath ?? '') || NAMELESS;
}

/** What keys need of each other, whatever the command. */
export function checkStructure(subject: Subject): void {
  const { lookup } = subject;
  const application = lookup.text('application_path');
  if (lookup.texts('global_flags').length > 0 && application === undefined) {
    complain(subject, {
      rank: PROBLEM_RANK.globalFlags,
      key: 'global_flags',
      rule: 'needs application_path, whose flags it names',
      remedy: 'Add application_path, or remove global_flags.',
    });
  }
  const derived = derivedIdentity(application);
  if (!subject.named && !IDENTITY.test(derived)) {
    complain(subject, {
      rank: PROBLEM_RANK.identity,
      key: 'application_path',
      ...identityWords(derived, 'application_path'),
    });
  }
  checkRemoteTools(subject);
  const builtins = lookup.texts('expose.agent.mcp.builtins');
  if (builtins.length > 0 && !lookup.isTrue('harness.knowledge.enabled')) {
    const key = 'expose.agent.mcp.builtins';
    complain(subject, {
      rank: valueRank(key),
      key,
      rule: `lists ${builtins.join(', ')}, but knowledge is off`,
      remedy: 'Add a harness.knowledge block with enabled: true, or remove the entries.',
    });
  }
}

function checkRemoteTools(subject: Subject): void {
  for (const [index, host] of subject.lookup.entries('remote_tools').entries()) {
    if (host.texts('exclude.tags').length > 0) {
      complain(subject, {
        rank: PROBLEM_RANK.remoteTools,
        key: `remote_tools[${index}].exclude.tags`,
        rule: `of ${shown(host.text('name') ?? '')} cannot work: cards carry no tags, so the tools would be imported anyway`,
        remedy: 'Exclude by name, with exclude.tools.',
      });
    }
  }
}
