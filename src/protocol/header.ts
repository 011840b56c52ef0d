/** Who claims to have sent a message, or whom it is meant for. A claim, never a proof. */
export interface Party {
  readonly name: string;
  readonly instance?: string;
}

/** What every message carries at its top level. */
export interface Header<P extends string = string> {
  readonly protocol: P;
  /** Names this one message; fresh on every message. */
  readonly id: string;
  /** Names the call; every reply echoes it. */
  readonly request: string;
  /** The caller's own tag across calls; echoed, interpreted by nobody. */
  readonly conversation: string;
  readonly parent?: string;
  /** Position in a reply set from 1; 0 outside one. */
  readonly sequence: number;
  /** RFC 3339, for the record only. */
  readonly time: string;
  readonly sender: Party;
  readonly recipient?: Party;
  /** A receiver that does not know the message must give up. */
  readonly must_understand?: boolean;
  readonly traceparent?: string;
}

/** What this room has none of: the time (ms since the epoch) and fresh ids. */
export interface Minting {
  readonly now: number;
  readonly mintId: () => string;
}

/** The header of a request. `request` and `conversation` are minted, as one value, where they are not given. */
export function requestHeader<P extends string>(
  options: Minting & { protocol: P; sender: string; recipient: string; request?: string; conversation?: string },
): Header<P> {
  const request = options.request ?? options.mintId();
  return {
    protocol: options.protocol,
    id: options.mintId(),
    request,
    conversation: options.conversation ?? request,
    sequence: 0,
    time: new Date(options.now).toISOString(),
    sender: { name: options.sender },
    recipient: { name: options.recipient },
  };
}

/** The header of an answer to `request`. The caller owns the sequence number. */
export function replyHeader<P extends string>(
  request: Header,
  options: Minting & { protocol: P; sequence: number; sender: string },
): Header<P> {
  return {
    protocol: options.protocol,
    id: options.mintId(),
    request: request.request,
    conversation: request.conversation,
    sequence: options.sequence,
    time: new Date(options.now).toISOString(),
    sender: { name: options.sender },
    recipient: { name: request.sender.name },
  };
}
