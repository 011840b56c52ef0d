import type { InfoReport } from '../info-report.ts';
import type { RemoteAgentInfo } from '../remote-agents.ts';
import { applicationText, renderWithheld } from './check.ts';
import { renderDocument, row, type Section } from './layout.ts';
import { type Style, unstyled } from './style.ts';
import { renderTable } from './table.ts';
import { count, cut, oneLine, plain } from './text.ts';

/** Characters of a description that the table of tools shows. */
const DESCRIPTION_LIMIT = 50;

/** Lays out the page of `info`. What there is nothing to tell about has no part in it. */
export function renderInfo(report: InfoReport, style: Style = unstyled): string {
  const document = renderDocument(
    {
      heading: `Agent ${style.bold(report.identity)}`,
      rows: [
        row('Configuration', report.config),
        row('Identity', report.identity_named ? undefined : `${report.identity} (derived, so it cannot be served)`),
        row('Application', report.application === null ? undefined : applicationText(report.application)),
        row('NATS Context', report.nats_context ?? undefined),
        row('Directories', ...report.directories.map(directoryText)),
      ],
      sections: [modelSection(report), servingSection(report), refusalsSection(report), remoteSection(report)].filter(
        (section) => section !== undefined,
      ),
    },
    style,
  );
  return [
    document,
    toolsPart(report, style),
    report.serving === null ? '' : withheldPart(report, style),
    globalsPart(report, style),
    promptPart(report, style),
  ].join('');
}

function directoryText({ use, path, exists }: InfoReport['directories'][number]): string {
  return `${path} (${use}${exists ? '' : ', does not exist'})`;
}

function modelSection({ model }: InfoReport): Section | undefined {
  if (model === null) return undefined;
  const rows = [row('Model', model.model), row('Provider', model.provider), row('Thinking', model.thinking)];
  return { title: 'Model', rows };
}

function servingSection({ serving, tools, removed, builtins }: InfoReport): Section | undefined {
  if (serving === null) return undefined;
  const served = tools.filter((tool) => tool.served).length;
  // What is missing here stands in the table of what is not served, whatever left it out.
  const commands = tools.length + removed.length;
  return {
    title: 'Serving tools over a2a',
    rows: [
      row('Concurrency', String(serving.concurrency)),
      row('Tool Timeout', serving.tool_timeout),
      row('Exposed', commands === 0 ? undefined : `${served} of ${count(commands, 'command')}`),
      row('Withheld', ...builtins),
    ],
  };
}

function refusalsSection({ refusals }: InfoReport): Section | undefined {
  if (refusals.length === 0) return undefined;
  const text = refusals.flatMap(({ message, remedy }) => [oneLine(message), `  ${oneLine(remedy)}`]);
  return { title: 'fisk serve refuses this file', rows: [], text };
}

function remoteSection({ remote_agents }: InfoReport): Section | undefined {
  if (remote_agents.length === 0) return undefined;
  return { title: 'Remote agents', rows: remote_agents.map((agent) => row(agent.name, remoteText(agent))) };
}

function remoteText(agent: RemoteAgentInfo): string {
  const alias = agent.alias === agent.name ? '' : `, as ${agent.alias}`;
  if (!agent.reachable) return `not reachable${alias}: ${oneLine(agent.error ?? '')}`;
  const tools = `${count(agent.advertised ?? 0, 'tool')}, ${agent.selected} selected`;
  return `reachable in ${agent.rtt_ms} ms, version ${oneLine(agent.version ?? '')}, ${tools}${alias}`;
}

function toolsPart({ tools }: InfoReport, style: Style): string {
  if (tools.length === 0) return '';
  const rows = tools.map((tool) => [
    oneLine(tool.name),
    oneLine(tool.source),
    tool.confirm === null ? '' : 'Yes',
    cut(oneLine(tool.description), DESCRIPTION_LIMIT),
    tool.tags.map(oneLine).join(', '),
  ]);
  const table = renderTable(['Tool', 'Source', 'Confirm', 'Description', 'Tags'], rows, { style });
  return `\n  ${style.bold('Tools')}:\n\n${table}`;
}

function withheldPart({ tools, removed }: InfoReport, style: Style): string {
  const withheld = tools.flatMap(({ name, withheld: reason }) => (reason === null ? [] : [{ name, reason }]));
  return renderWithheld([...removed, ...withheld], style);
}

function globalsPart({ global_flags }: InfoReport, style: Style): string {
  if (global_flags.length === 0) return '';
  const rows = global_flags.map(({ name, exposed, required, help }) => [
    `--${oneLine(name)}`,
    exposed ? (required ? 'exposed, required' : 'exposed') : '',
    cut(oneLine(help), DESCRIPTION_LIMIT),
  ]);
  return `\n  ${style.bold('Global flags')}:\n\n${renderTable(['Flag', 'Calls', 'Description'], rows, { style })}`;
}

function promptPart({ system_prompt }: InfoReport, style: Style): string {
  if (system_prompt === null) return '';
  const lines = plain(system_prompt).trim().split('\n');
  return `\n  ${style.bold('Prompt')}:\n\n${lines.map((line) => `    ${line}`.trimEnd()).join('\n')}\n`;
}
