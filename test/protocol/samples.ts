import { MESSAGE, type MessageId } from '../../src/protocol/index.ts';

export const bytes = (value: unknown): Uint8Array =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** A message that every check lets by, with `over` put over it. */
export function sample(protocol: MessageId, over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    protocol,
    id: 'm1',
    request: 'r1',
    conversation: 'c1',
    sequence: 0,
    time: '2026-08-21T10:11:12.123Z',
    sender: { name: 'caller' },
    recipient: { name: 'lab' },
    ...over,
  };
}

export const toolRequest = (over: Record<string, unknown> = {}) =>
  sample(MESSAGE.toolRequest, { name: 'stock_list', ...over });
