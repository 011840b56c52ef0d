/** The description of a server that the MCP registry takes. */
import { UsageError } from '../../errors.ts';

/** The form that it has. */
const SCHEMA =
  'https://raw.githubusercontent.com/modelcontextprotocol/registry/main/docs/reference/server-json/draft/server.schema.json';
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
/** Characters of a name. */
const NAME_LENGTH = { least: 3, most: 200 };
/** Code points of a title and of a description. */
const TEXT_LENGTH = 100;

export interface ServerFacts {
  /** As it was typed; a placeholder stands in for one that was not. */
  readonly registryName: string | undefined;
  readonly identity: string;
  /** What the application says of itself in a line; may be empty. */
  readonly help: string;
  readonly application: string;
  readonly version: string;
  /** Whether clients send a token, as everybody beyond this machine does. */
  readonly token: boolean;
}

/** The name of a server whose owner has not said one. */
export function placeholderName(identity: string): string {
  return `com.example/${identity}`.slice(0, NAME_LENGTH.most);
}

/**
 * Describes the server for a registry. It names no package, because fisk and a configuration of somebody's are none.
 * @throws {UsageError} when the name is not one that a registry takes.
 */
export function serverJson(facts: ServerFacts): object {
  const { identity, help, application, version, token, registryName } = facts;
  const name = registryName ?? placeholderName(identity);
  if (!NAME.test(name) || name.length < NAME_LENGTH.least || name.length > NAME_LENGTH.most) {
    throw new UsageError(
      `--registry-name takes a name such as io.github.someone/${identity}: letters, digits, . and -, one slash, then ` +
        `the same and _, ${NAME_LENGTH.most} characters at most`,
    );
  }
  return {
    $schema: SCHEMA,
    name,
    title: shortened(identity),
    description: shortened(help === '' ? `The commands of ${application}` : help),
    version,
    ...(token && { remotes: [REMOTE] }),
  };
}

/** Whoever installs it fills in where it is and the token: both are the operator's to give out. */
const REMOTE = {
  type: 'streamable-http',
  url: '{url}',
  variables: {
    url: {
      description: 'Where it is served, such as https://mcp.example.com/',
      isRequired: true,
    },
  },
  headers: [
    {
      name: 'Authorization',
      value: 'Bearer {token}',
      isRequired: true,
      isSecret: true,
      variables: { token: { description: 'The token that its operator gives out', isRequired: true, isSecret: true } },
    },
  ],
};

/** Cut at a word where one ends in its last third. */
function shortened(text: string): string {
  const points = [...text];
  if (points.length <= TEXT_LENGTH) return text;
  const cut = points.slice(0, TEXT_LENGTH - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > (cut.length * 2) / 3 ? cut.slice(0, space) : cut}…`;
}
