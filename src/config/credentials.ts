import { referencedNames } from './references.ts';
import type { Config } from './types.ts';

/** Variables of every model provider this program can use, whether or not a file chooses it. */
const PROVIDER_NAMES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_IDENTITY_TOKEN',
  'ANTHROPIC_WEBHOOK_SIGNING_KEY',
  'ANTHROPIC_CUSTOM_HEADERS',
];

/** Variables that carry what a collector accepts, of every signal; removed whether or not telemetry is on. */
const COLLECTOR_NAMES = ['HEADERS', 'CLIENT_KEY', 'CLIENT_CERTIFICATE', 'CERTIFICATE'].flatMap((what) =>
  ['', 'TRACES_', 'METRICS_', 'LOGS_'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}${what}`),
);

/**
 * Names of the variables that hold credentials: none of them reaches a command that a caller or a model chooses.
 * Without a configuration, those that are known anyway.
 */
export function credentialNames(config?: Config): string[] {
  const names = [...PROVIDER_NAMES, ...COLLECTOR_NAMES];
  if (config !== undefined) {
    const { knowledge } = config.harness;
    if (knowledge.enabled) {
      names.push(knowledge.embeddings?.apiKeyEnv ?? '');
    }
    names.push(config.expose.mcp?.tokenEnv ?? '');
    for (const { url, headers, env } of config.mcpServers) {
      names.push(...[url ?? '', ...headers.values(), ...env.values()].flatMap(referencedNames));
    }
  }
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}
