import type { Host } from '../host/index.ts';
import type { ServeObserver, Serving } from '../observe/index.ts';

/** Tells what is served, and from now on what becomes of the connection. */
export function watchServing(observer: ServeObserver, { connection }: Host, what: Omit<Serving, 'connection'>): void {
  observer.serving({ ...what, connection });
  observer.connection('connected', connection.nc.getServer());
  connection.watch({
    disconnected: (server) => observer.connection('disconnected', server),
    reconnected: (server, awayMs) => observer.connection('reconnected', server, awayMs),
    leaving: (server) => observer.connection('lame duck', server),
    lost: () => observer.connection('lost'),
  });
}
