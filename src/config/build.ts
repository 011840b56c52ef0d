import { buildExpose } from './build-expose.ts';
import { parseDuration } from './durations.ts';
import type { Lookup } from './lookup.ts';
import { some } from './optional.ts';
import type { Settings } from './settings.ts';
import type { Config, HarnessConfig, LlmConfig, McpServerConfig, RemoteToolsConfig, TelemetryConfig } from './types.ts';

/** Which file it is, and what is needed to know the name of its agent. */
export interface Origin {
  readonly path: string;
  readonly identity: string;
  readonly named: boolean;
  readonly placeOf: Config['placeOf'];
}

/** Turns a judged file into the typed configuration. */
export function buildConfig(
  lookup: Lookup,
  settings: Settings,
  { path, identity, named, placeOf }: Origin,
  workersTyped: boolean,
): Config {
  return {
    path,
    placeOf,
    identity,
    identityNamed: named,
    ...some('applicationPath', settings.text('application_path')),
    ...some('natsContext', settings.text('nats_context')),
    ...some('systemPrompt', settings.text('system_prompt')),
    include: lookup.filter('include'),
    exclude: lookup.filter('exclude'),
    globalFlags: lookup.texts('global_flags'),
    remoteTools: lookup.entries('remote_tools').map(remoteTools),
    mcpServers: lookup.entries('mcp_servers').map(mcpServer),
    llm: buildLlm(lookup, settings),
    harness: buildHarness(lookup, settings),
    expose: buildExpose(lookup, settings, workersTyped),
    telemetry: {
      enabled: settings.isTrue('telemetry.enabled'),
      ...some('endpoint', settings.text('telemetry.endpoint')),
      ...some('serviceName', settings.text('telemetry.service_name')),
      sampleRatio: settings.number('telemetry.sample_ratio'),
      noMetrics: settings.isTrue('telemetry.no_metrics'),
      capture: {
        enabled: settings.isTrue('telemetry.capture.enabled'),
        messages: settings.word('telemetry.capture.messages') as TelemetryConfig['capture']['messages'],
        maxBytes: settings.number('telemetry.capture.max_bytes'),
      },
    },
  };
}

function remoteTools(entry: Lookup): RemoteToolsConfig {
  const name = entry.text('name') ?? '';
  return {
    name,
    alias: entry.text('alias') ?? name,
    include: entry.filter('include'),
    exclude: entry.filter('exclude'),
  };
}

function mcpServer(entry: Lookup): McpServerConfig {
  return {
    name: entry.text('name') ?? '',
    ...some('alias', entry.text('alias')),
    ...some('command', entry.text('command')),
    args: entry.texts('args'),
    ...some('cwd', entry.text('cwd')),
    env: entry.map('env'),
    ...some('url', entry.text('url')),
    headers: entry.map('headers'),
    startupTimeoutMs: parseDuration(entry.text('startup_timeout') ?? String(entry.defaultOf('startup_timeout'))),
    include: entry.filter('include'),
    exclude: entry.filter('exclude'),
  };
}

function buildLlm(lookup: Lookup, settings: Settings): LlmConfig {
  return {
    ...some('model', settings.text('llm.model')),
    provider: settings.word('llm.provider'),
    budget: {
      maxTokens: settings.number('llm.budget.max_tokens'),
      maxOutputTokens: settings.number('llm.budget.max_output_tokens'),
      maxIterations: settings.number('llm.budget.max_iterations'),
      callTimeoutMs: settings.number('llm.budget.call_timeout'),
      ...some('maxCost', settings.optionalNumber('llm.budget.max_cost')),
    },
    prices: {
      ...some('input', settings.optionalNumber('llm.prices.input')),
      ...some('output', settings.optionalNumber('llm.prices.output')),
      ...some('cacheRead', settings.optionalNumber('llm.prices.cache_read')),
      ...some('cacheWrite', settings.optionalNumber('llm.prices.cache_write')),
    },
    ...(lookup.has('llm.thinking') ? { thinking: { enabled: settings.isTrue('llm.thinking.enabled') } } : {}),
    ...some('reasoningEffort', settings.text('llm.reasoning_effort')),
    noPromptCache: settings.isTrue('llm.no_prompt_cache'),
    noToolSearch: settings.isTrue('llm.no_tool_search'),
  };
}

function buildHarness(lookup: Lookup, settings: Settings): HarnessConfig {
  const stateDirectory = settings.text('harness.sessions.options.directory');
  return {
    humanInTheLoop: settings.isTrue('harness.human_in_the_loop.enabled'),
    confirmTags: lookup.texts('harness.confirm_tags'),
    toolTimeoutMs: settings.number('harness.tool_timeout'),
    noTui: settings.isTrue('harness.no_tui'),
    noBell: settings.isTrue('harness.no_bell'),
    memory: {
      enabled: settings.isTrue('harness.memory.enabled'),
      noIndex: settings.isTrue('harness.memory.no_index'),
      readOnly: settings.isTrue('harness.memory.read_only'),
      backend: settings.word('harness.memory.backend'),
      options: lookup.mapping('harness.memory.options'),
    },
    knowledge: {
      enabled: settings.isTrue('harness.knowledge.enabled'),
      paths: lookup.texts('harness.knowledge.paths'),
      ...some('directory', settings.text('harness.knowledge.directory')),
      topK: settings.number('harness.knowledge.top_k'),
      maxInjectedTokens: settings.number('harness.knowledge.max_injected_tokens'),
      ...(lookup.has('harness.knowledge.embeddings') ? { embeddings: embeddings(settings) } : {}),
    },
    pii: {
      mode: settings.word('harness.pii.mode') as HarnessConfig['pii']['mode'],
      ...(lookup.has('harness.pii.checks') ? { checks: lookup.texts('harness.pii.checks') } : {}),
    },
    sessions: {
      backend: settings.word('harness.sessions.backend'),
      options: Object.assign(lookup.mapping('harness.sessions.options'), some('directory', stateDirectory)),
    },
  };
}

function embeddings(settings: Settings): NonNullable<HarnessConfig['knowledge']['embeddings']> {
  const key = 'harness.knowledge.embeddings';
  return {
    ...some('baseUrl', settings.text(`${key}.base_url`)),
    ...some('model', settings.text(`${key}.model`)),
    ...some('apiKeyEnv', settings.text(`${key}.api_key_env`)?.trim()),
    timeoutMs: settings.number(`${key}.timeout`),
    queryPrefix: settings.word(`${key}.query_prefix`),
    documentPrefix: settings.word(`${key}.document_prefix`),
  };
}
