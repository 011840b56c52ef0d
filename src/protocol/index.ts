export type { Decoded } from './codec.ts';
export { decode, encode, encodeToolRequest } from './codec.ts';
export type { RefusalStatus, ReplyCode } from './codes.ts';
export {
  IMPLEMENTATION,
  SERVICE_ERROR_CODE_HEADER,
  SERVICE_ERROR_HEADER,
  STREAM_FINAL_HEADER,
} from './codes.ts';
export { encodeFitting } from './fit.ts';
export type { Header, Minting, Party } from './header.ts';
export { replyHeader, requestHeader } from './header.ts';
export type { EventId, MessageId } from './ids.ts';
export { ANY_EVENT, eventKind, isKnownEvent, MESSAGE, NAMESPACE } from './ids.ts';
export { HEADER_ROOM, MAX_BODY_BYTES, MAX_DEPTH } from './limits.ts';
export type {
  Ack,
  AgentCard,
  Behavior,
  CardBody,
  DiscoveryRequest,
  Exec,
  Message,
  OtherEvent,
  RetryHints,
  StatusEvent,
  ToolDescriptor,
  ToolReply,
  ToolReplyBody,
  ToolRequest,
} from './messages.ts';
export { toolReply } from './messages.ts';
export { NumberText, parseNumberText } from './numbers.ts';
export { discoverySubject, isIdentity, parseSubject, toolSubject } from './subjects.ts';
export { headerText, shortenText } from './text.ts';
