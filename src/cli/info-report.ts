import { type Config, formatDuration } from '../config/index.ts';
import { effectiveConcurrency } from '../serve/index.ts';
import {
  cardBehavior,
  type GlobalFlagInfo,
  type LoadedApplication,
  type RemovedCommand,
  selectServed,
  type ToolNotice,
} from '../tools/index.ts';
import { builtinsOf } from './builtins.ts';
import { type DirectoryInfo, directoriesOf } from './directories.ts';
import type { RemoteAgentInfo } from './remote-agents.ts';
import { version } from './version.ts';

/** Everything that `info` tells, in the form of its JSON output: names are stable, lists keep their order. */
export interface InfoReport {
  readonly config: string;
  readonly version: string;
  readonly identity: string;
  /** False for one that was derived, which is no address on NATS. */
  readonly identity_named: boolean;
  readonly nats_context: string | null;
  readonly application: { readonly path: string; readonly name: string; readonly version: string } | null;
  readonly model: { readonly model: string; readonly provider: string; readonly thinking: string } | null;
  /** Null when no tools are served over a2a. */
  readonly serving: { readonly concurrency: number; readonly tool_timeout: string } | null;
  /** Why fisk serve would not start with this file; empty when it would, and when the file asks for nothing to serve. */
  readonly refusals: readonly Refusal[];
  readonly builtins: readonly string[];
  readonly directories: readonly DirectoryInfo[];
  readonly tools: readonly ToolInfo[];
  /** Commands that are no tools here. */
  readonly removed: readonly RemovedCommand[];
  readonly remote_agents: readonly RemoteAgentInfo[];
  readonly global_flags: readonly GlobalFlagInfo[];
  readonly system_prompt: string | null;
  readonly notices: readonly ToolNotice[];
}

export interface ToolInfo {
  readonly name: string;
  readonly command: string;
  readonly kind: 'application';
  readonly source: 'local';
  readonly description: string;
  readonly tags: readonly string[];
  readonly behavior: Readonly<Record<string, boolean>>;
  /** The tag that asks for an approval, null when none does. */
  readonly confirm: string | null;
  readonly deferrable: boolean;
  readonly exposable: { readonly a2a: boolean; readonly mcp: boolean };
  /** Whether peers get it, which also takes that tools are served at all. */
  readonly served: boolean;
  /** Why it would not be served, null when it would. */
  readonly withheld: string | null;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

export interface Refusal {
  /** With its place in the file. */
  readonly message: string;
  readonly remedy: string;
}

export interface ReportParts {
  readonly config: Config;
  readonly application: LoadedApplication | undefined;
  readonly refusals: readonly Refusal[];
  readonly remoteAgents: readonly RemoteAgentInfo[];
  readonly env: NodeJS.ProcessEnv;
}

/** Puts the report together. */
export function infoReport({ config, application, refusals, remoteAgents, env }: ReportParts): InfoReport {
  const { confirmTags } = config.harness;
  const selection = selectServed(application?.tools ?? [], { ...config.expose.tools, confirmTags });
  const reasons = new Map(selection.withheld.map(({ tool, reason }) => [tool.name, reason]));
  const serving = config.expose.a2a.serveTools;
  return {
    config: config.path,
    version,
    identity: config.identity,
    identity_named: config.identityNamed,
    nats_context: config.natsContext ?? null,
    application:
      application === undefined
        ? null
        : { path: application.path, name: application.name, version: application.version },
    model: modelOf(config),
    serving: serving
      ? {
          concurrency: effectiveConcurrency(config),
          tool_timeout: formatDuration(config.expose.a2a.toolTimeoutMs),
        }
      : null,
    refusals,
    builtins: builtinsOf(config),
    directories: directoriesOf(config, env, process.cwd()),
    tools: (application?.tools ?? []).map((tool) => ({
      name: tool.name,
      command: tool.command,
      kind: 'application',
      source: 'local',
      description: tool.description,
      tags: tool.tags,
      behavior: { ...cardBehavior(tool.behavior()) },
      confirm: tool.confirmTrigger(confirmTags) ?? null,
      deferrable: tool.definition(true).deferLoading,
      exposable: { a2a: tool.a2aExposable, mcp: tool.mcpExposable },
      served: serving && !reasons.has(tool.name),
      withheld: reasons.get(tool.name) ?? null,
      input_schema: tool.inputSchema,
    })),
    removed: application?.removed ?? [],
    remote_agents: remoteAgents,
    global_flags: application?.globals ?? [],
    system_prompt: config.systemPrompt ?? null,
    notices: [...(application?.notices ?? []), ...selection.notices],
  };
}

function modelOf({ llm }: Config): InfoReport['model'] {
  if (llm.model === undefined) return null;
  const thinking = llm.thinking === undefined ? 'provider default' : llm.thinking.enabled ? 'enabled' : 'disabled';
  return { model: llm.model, provider: llm.provider, thinking };
}
