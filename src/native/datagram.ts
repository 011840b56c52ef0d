import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { libc } from './libc.ts';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
/** Bytes of a socket's path in a `sockaddr_un`, and what stands before it. */
const PATH_BYTES = 108;
const FAMILY_BYTES = 2;

/** Sends text to one UNIX datagram socket, which Node has nothing for. Waits for nothing. */
export interface DatagramSender {
  /** 0, or the errno: 11 when the reader's queue is full, 2 or 111 when nobody reads. */
  send(text: string): number;
  close(): void;
}

/**
 * Makes a sender to `path`; one that begins with `@` names a socket outside the file system. Nothing is looked at before
 * the first send.
 * @returns the sender, or the errno: 36 for a path that is too long, 24 when no descriptor is left.
 */
export function datagramSender(path: string): DatagramSender | { readonly errno: number } {
  const c = libc();
  const name = Buffer.from(path);
  if (name.length >= PATH_BYTES) return { errno: constants.errno.ENAMETOOLONG };
  const fd = c.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return { errno: c.errno() };
  // A path ends with a NUL, which Buffer.alloc has put there; a name outside the file system begins with one and has no end.
  const abstract = path.startsWith('@');
  const address = Buffer.alloc(FAMILY_BYTES + name.length + (abstract ? 0 : 1));
  address.writeUInt16LE(AF_UNIX, 0);
  name.copy(address, FAMILY_BYTES);
  if (abstract) address[FAMILY_BYTES] = 0;
  return {
    send: (text) => {
      const bytes = Buffer.from(text);
      const sent = c.sendto(fd, bytes, bytes.length, MSG_DONTWAIT | MSG_NOSIGNAL, address, address.length);
      return sent < 0 ? c.errno() : 0;
    },
    close: () => closeSync(fd),
  };
}
