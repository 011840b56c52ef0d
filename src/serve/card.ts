import {
  type AgentCard,
  type CardBody,
  type Header,
  MESSAGE,
  type Minting,
  NAMESPACE,
  replyHeader,
  type ToolDescriptor,
} from '../protocol/index.ts';
import { cardBehavior, isBehaviorDescriber, type Tool } from '../tools/index.ts';

/** What a card says about one tool. Its tags travel inside the description alone. */
export function describeTool(tool: Tool): ToolDescriptor {
  const behavior = isBehaviorDescriber(tool) ? cardBehavior(tool.behavior()) : undefined;
  return {
    name: tool.name,
    description: tool.modelDescription,
    input_schema: tool.inputSchema,
    ...(behavior && { behavior }),
  };
}

/** The card of an agent that serves `tools`. */
export function cardBody(identity: string, version: string, tools: readonly Tool[]): CardBody {
  return { name: identity, version, protocols: [NAMESPACE], tools: tools.map(describeTool) };
}

/**
 * Writes an agent's card as often as it is asked for. The body is turned into JSON once: a card with hundreds of tools
 * is long, and only its header changes.
 */
export class CardWriter {
  readonly #identity: string;
  readonly #rest: Buffer;

  constructor(body: CardBody) {
    this.#identity = body.name;
    this.#rest = Buffer.from(`,${JSON.stringify(body).slice(1)}`);
  }

  /** Size of an answer, all but its header of some hundred bytes. */
  get bytes(): number {
    return this.#rest.length;
  }

  /** The answer to a discovery request. */
  write(request: Header, minting: Minting): Uint8Array {
    const header: Header<AgentCard['protocol']> = replyHeader(request, {
      ...minting,
      protocol: MESSAGE.discoveryReply,
      sequence: 0,
      sender: this.#identity,
    });
    return Buffer.concat([Buffer.from(JSON.stringify(header).slice(0, -1)), this.#rest]);
  }
}
