import type { Lookup } from './lookup.ts';
import { some } from './optional.ts';
import type { Settings } from './settings.ts';
import type { A2aConfig, Config, JobsConfig, McpConfig } from './types.ts';

/** The part of the configuration that says what others may use. */
export function buildExpose(lookup: Lookup, settings: Settings, workersTyped: boolean): Config['expose'] {
  return {
    tools: {
      include: lookup.filter('expose.agent.tools.include'),
      exclude: lookup.filter('expose.agent.tools.exclude'),
    },
    a2a: a2a(lookup, settings),
    ...(lookup.has('expose.agent.mcp') ? { mcp: mcp(lookup, settings) } : {}),
    ...(lookup.has('expose.agent.jobs') ? { jobs: jobs(settings, workersTyped) } : {}),
  };
}

function a2a(lookup: Lookup, settings: Settings): A2aConfig {
  const key = 'expose.agent.a2a';
  return {
    present: lookup.has(key),
    serveTools: settings.isTrue(`${key}.serve_tools`),
    maxConcurrentTools: settings.number(`${key}.max_concurrent_tools`),
    toolTimeoutMs: settings.number(`${key}.tool_timeout`),
    requestTimeoutMs: settings.number(`${key}.request_timeout`),
    ...(lookup.has(`${key}.prompts`)
      ? {
          prompts: {
            workers: settings.number(`${key}.prompts.workers`),
            elicit: settings.isTrue(`${key}.prompts.elicit`),
          },
        }
      : {}),
  };
}

function mcp(lookup: Lookup, settings: Settings): McpConfig {
  const key = 'expose.agent.mcp';
  return {
    port: settings.number(`${key}.port`),
    address: settings.word(`${key}.address`),
    ...some('instructions', settings.text(`${key}.instructions`)),
    confirmOverMcp: settings.word(`${key}.confirm_over_mcp`) as McpConfig['confirmOverMcp'],
    builtins: lookup.texts(`${key}.builtins`),
    maxConcurrentTools: settings.number(`${key}.max_concurrent_tools`),
    toolTimeoutMs: settings.number(`${key}.tool_timeout`),
    ...some('tokenEnv', settings.text(`${key}.token_env`)?.trim()),
    allowedOrigins: lookup.texts(`${key}.allowed_origins`),
    allowedHosts: lookup.texts(`${key}.allowed_hosts`),
  };
}

function jobs(settings: Settings, workersTyped: boolean): JobsConfig {
  const key = 'expose.agent.jobs';
  return {
    queue: settings.word(`${key}.queue`),
    taskType: settings.word(`${key}.task_type`),
    workers: settings.number(`${key}.workers`),
    workersTyped,
    ...some('natsContext', settings.text(`${key}.nats_context`) ?? settings.text('nats_context')),
    maxPayloadBytes: settings.number(`${key}.max_payload`),
  };
}
