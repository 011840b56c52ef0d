/** The configurations of the usual MCP clients, each in the form that its documentation gives. */

/** How clients reach the server. */
export interface Ways {
  /** What the server is called in a client. */
  readonly identity: string;
  /** The command line of a client that starts its server itself. */
  readonly command: string;
  readonly args: readonly string[];
  /** Where it is served over HTTP. */
  readonly url: string;
  /** The variable that holds the bearer token; absent when none is asked for. */
  readonly tokenVariable?: string | undefined;
}

/** What goes where for one client. Both configurations are whole files; an existing one takes the entry in. */
export interface ClientConfiguration {
  readonly client: string;
  /** The file, or the way through the settings. */
  readonly file: string;
  /** For a client that starts the server. */
  readonly stdio: object;
  /** For a server that runs; absent where the file cannot say so. */
  readonly http?: object;
}

type Entry = Readonly<Record<string, unknown>>;

interface Form {
  readonly client: string;
  readonly file: string;
  /** The key that holds the servers. */
  readonly key: string;
  /** What an entry of a started server has besides command and arguments. */
  readonly started?: Entry;
  /** The entry of a server at a URL; absent where there is none. */
  readonly at?: (url: string) => Entry;
  /** How a header says that its value is in a variable; absent where the value itself must stand there. */
  readonly variable?: (name: string) => string;
  /** What the file has besides its servers when a token is asked for. */
  readonly beside?: (variable: string) => Entry;
}

const IN_PLACE_OF_TOKEN = 'PUT-THE-TOKEN-HERE';
const atUrl = (url: string) => ({ url });
const typedHttp = (url: string) => ({ type: 'http', url });
const inEnv = (name: string) => `\${env:${name}}`;
const inBraces = (name: string) => `\${${name}}`;

const FORMS: Readonly<Record<string, Form>> = {
  'claude-code': {
    client: 'Claude Code',
    file: '.mcp.json in the project, or mcpServers of ~/.claude.json',
    key: 'mcpServers',
    started: { type: 'stdio' },
    at: typedHttp,
    variable: inBraces,
  },
  'claude-desktop': {
    client: 'Claude Desktop',
    file: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    key: 'mcpServers',
  },
  cursor: {
    client: 'Cursor',
    file: '.cursor/mcp.json in the project, or ~/.cursor/mcp.json',
    key: 'mcpServers',
    at: atUrl,
    variable: inEnv,
  },
  'gemini-cli': {
    client: 'Gemini CLI',
    file: '.gemini/settings.json in the project, or ~/.gemini/settings.json',
    key: 'mcpServers',
    at: (url) => ({ httpUrl: url }),
    variable: inBraces,
  },
  jetbrains: {
    client: 'JetBrains AI Assistant',
    file: 'Settings, Tools, AI Assistant, Model Context Protocol (MCP), Add, as JSON',
    key: 'mcpServers',
    at: atUrl,
  },
  vscode: {
    client: 'Visual Studio Code',
    file: '.vscode/mcp.json in the project, or MCP: Open User Configuration',
    key: 'servers',
    started: { type: 'stdio' },
    at: typedHttp,
    variable: (name) => `\${input:${name}}`,
    beside: (variable) => ({
      inputs: [{ type: 'promptString', id: variable, description: `The token in ${variable}`, password: true }],
    }),
  },
  windsurf: {
    client: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    key: 'mcpServers',
    at: (url) => ({ serverUrl: url }),
    variable: inEnv,
  },
  zed: {
    client: 'Zed',
    file: 'settings.json (zed: open settings file)',
    key: 'context_servers',
    at: atUrl,
  },
  other: {
    client: 'Any other client',
    file: 'what its documentation says; this is the form that most share',
    key: 'mcpServers',
    at: typedHttp,
  },
};

/** What to paste into each client, by a short name of the client. */
export function clientConfigurations(ways: Ways): Readonly<Record<string, ClientConfiguration>> {
  return Object.fromEntries(Object.entries(FORMS).map(([name, form]) => [name, configuration(form, ways)]));
}

function configuration(form: Form, { identity, command, args, url, tokenVariable }: Ways): ClientConfiguration {
  const { client, file, key, started, at, variable, beside } = form;
  const server = (entry: Entry) => ({ [key]: Object.fromEntries([[identity, entry]]) });
  const stdio = server({ ...started, command, args });
  if (at === undefined) return { client, file, stdio };
  if (tokenVariable === undefined) return { client, file, stdio, http: server(at(url)) };
  const token = variable?.(tokenVariable) ?? IN_PLACE_OF_TOKEN;
  const entry = { ...at(url), headers: { Authorization: `Bearer ${token}` } };
  return { client, file, stdio, http: { ...beside?.(tokenVariable), ...server(entry) } };
}
