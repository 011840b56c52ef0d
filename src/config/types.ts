import type { Pattern } from './patterns.ts';

/** Which commands are meant. A filter with neither patterns nor tags says nothing. */
export interface NameFilter {
  readonly tools: readonly Pattern[];
  /** The empty text matches a command without tags. */
  readonly tags: readonly string[];
}

export interface RemoteToolsConfig {
  readonly name: string;
  /** The name when none is written. */
  readonly alias: string;
  readonly include: NameFilter;
  readonly exclude: NameFilter;
}

export interface McpServerConfig {
  readonly name: string;
  readonly alias?: string;
  /** Set on a server that is started; then `url` is not. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Values with their `${NAME}` references still in them; so are `url` and `headers`. */
  readonly env: ReadonlyMap<string, string>;
  readonly url?: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly startupTimeoutMs: number;
  readonly include: NameFilter;
  readonly exclude: NameFilter;
}

export interface LlmConfig {
  readonly model?: string;
  readonly provider: string;
  readonly budget: {
    readonly maxTokens: number;
    /** 0 leaves the choice to the run. */
    readonly maxOutputTokens: number;
    readonly maxIterations: number;
    readonly callTimeoutMs: number;
    readonly maxCost?: number;
  };
  /** What a million tokens cost; a price that is not written is not known. */
  readonly prices: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  /** Absent: nothing is asked of the model. */
  readonly thinking?: { readonly enabled: boolean };
  readonly reasoningEffort?: string;
  readonly noPromptCache: boolean;
  readonly noToolSearch: boolean;
}

/** A store and its options as written; the backend judges them when it is opened. The options have no prototype. */
export interface StoreConfig {
  readonly backend: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface EmbeddingsConfig {
  readonly baseUrl?: string;
  readonly model?: string;
  readonly apiKeyEnv?: string;
  readonly timeoutMs: number;
  readonly queryPrefix: string;
  readonly documentPrefix: string;
}

export interface HarnessConfig {
  readonly humanInTheLoop: boolean;
  readonly confirmTags: readonly string[];
  /** Milliseconds; 0 is no bound. */
  readonly toolTimeoutMs: number;
  readonly noTui: boolean;
  readonly noBell: boolean;
  readonly memory: StoreConfig & { readonly enabled: boolean; readonly noIndex: boolean; readonly readOnly: boolean };
  readonly knowledge: {
    readonly enabled: boolean;
    readonly paths: readonly string[];
    readonly directory?: string;
    readonly topK: number;
    readonly maxInjectedTokens: number;
    /** Present when search by meaning is configured. */
    readonly embeddings?: EmbeddingsConfig;
  };
  readonly pii: { readonly mode: 'redact' | 'reject' | 'off' /** Absent: all. */; readonly checks?: readonly string[] };
  readonly sessions: StoreConfig;
}

export interface McpConfig {
  readonly port: number;
  readonly address: string;
  readonly instructions?: string;
  readonly confirmOverMcp: 'auto' | 'always' | 'never';
  readonly builtins: readonly string[];
  readonly maxConcurrentTools: number;
  readonly toolTimeoutMs: number;
  readonly tokenEnv?: string;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
}

export interface A2aConfig {
  /** Whether the file has the block, with a value. */
  readonly present: boolean;
  readonly serveTools: boolean;
  /** 0 follows the CPU limit. */
  readonly maxConcurrentTools: number;
  readonly toolTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Present when prompts are answered. */
  readonly prompts?: { readonly workers: number; readonly elicit: boolean };
}

export interface JobsConfig {
  readonly queue: string;
  readonly taskType: string;
  readonly workers: number;
  /** Whether --workers set the number, and not the file. */
  readonly workersTyped: boolean;
  /** The agent's own context when the block names none. */
  readonly natsContext?: string;
  readonly maxPayloadBytes: number;
}

export interface TelemetryConfig {
  readonly enabled: boolean;
  readonly endpoint?: string;
  readonly serviceName?: string;
  /** 0 to 1. */
  readonly sampleRatio: number;
  readonly noMetrics: boolean;
  readonly capture: { readonly enabled: boolean; readonly messages: 'delta' | 'full'; readonly maxBytes: number };
}

/** Everything a file says, with defaults filled in and durations in milliseconds. */
export interface Config {
  /** The file, as it was given. */
  readonly path: string;
  /** Where a key of the file stands, `agent.yaml:9:5`, or the closest block around it; the path alone for one it lacks. */
  placeOf(key: string): string;
  readonly identity: string;
  /** Whether the file or --identity chose the identity. One that was derived is no address on NATS. */
  readonly identityNamed: boolean;
  /** As written; see resolveApplicationPath. */
  readonly applicationPath?: string;
  readonly natsContext?: string;
  readonly systemPrompt?: string;
  readonly include: NameFilter;
  readonly exclude: NameFilter;
  readonly globalFlags: readonly string[];
  readonly remoteTools: readonly RemoteToolsConfig[];
  readonly mcpServers: readonly McpServerConfig[];
  readonly llm: LlmConfig;
  readonly harness: HarnessConfig;
  readonly expose: {
    readonly tools: { readonly include: NameFilter; readonly exclude: NameFilter };
    readonly a2a: A2aConfig;
    /** Present when the file has the block, with a value. */
    readonly mcp?: McpConfig;
    readonly jobs?: JobsConfig;
  };
  readonly telemetry: TelemetryConfig;
}
