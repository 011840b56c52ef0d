export { resolveApplicationPath } from './application-path.ts';
export { checkBaseUrl, isLoopback } from './base-url.ts';
export type { Mode } from './check-command.ts';
export { contextNames, loadNatsContext, type NatsContext, type NatsTls } from './contexts.ts';
export { credentialNames } from './credentials.ts';
export { checkWorkDir } from './directories.ts';
export { DurationTextError, formatDuration, parseDuration } from './durations.ts';
export { enabledEndpoints, mcpNotEnabled, nothingEnabled } from './endpoints.ts';
export { executableFault, findOnPath } from './executables.ts';
export { type LoadedConfig, type LoadRequest, loadConfig, parseConfig } from './load.ts';
export { Pattern } from './patterns.ts';
export type { FlagValues } from './settings.ts';
export { nearest } from './suggestion.ts';
export type {
  A2aConfig,
  Config,
  EmbeddingsConfig,
  HarnessConfig,
  JobsConfig,
  LlmConfig,
  McpConfig,
  McpServerConfig,
  NameFilter,
  RemoteToolsConfig,
  StoreConfig,
  TelemetryConfig,
} from './types.ts';
export { telemetryVeto } from './variables.ts';
