/**
 * A TCP proxy before PostgreSQL that fails as networks do: it cuts, delays, stands still, and goes half-open.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface FaultyProxy {
  readonly port: number;
  /** Ends all connections at once, with a reset. */
  resetConnections(): void;
  /** Holds everything up for this long, both ways; 0 ends it. */
  setDelay(milliseconds: number): void;
  /** Nothing passes until it is taken back; then everything goes on where it stood. */
  setStalled(on: boolean): void;
  /**
   * Connections of now go half-open for good: the server's end is closed after a while (ms), and the client
   * is never told, nor answered again. New ones work.
   */
  halfOpenConnections(serverEndsAfter: number): void;
  /** Cuts all connections and refuses new ones, until it is taken back. */
  setRefusing(on: boolean): void;
  close(): Promise<void>;
}

interface ConnectionPair {
  readonly client: Socket;
  readonly server: Socket;
  /** True once nothing passes any more. */
  halfOpen: boolean;
}

/** @param socketPath of the PostgreSQL behind it */
export async function startFaultyProxy(socketPath: string): Promise<FaultyProxy> {
  const pairs = new Set<ConnectionPair>();
  let refusing = false;
  let still = false;
  let delayMs = 0;

  const forward = (pair: ConnectionPair, from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (pair.halfOpen) return;
      const pass = (): void => {
        if (!pair.halfOpen && !to.destroyed) to.write(chunk);
      };
      if (delayMs === 0) return pass();
      // One chunk at a time, so that none overtakes another when the delay ends.
      from.pause();
      setTimeout(() => {
        pass();
        if (!still) from.resume();
      }, delayMs);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      if (pair.halfOpen && from === pair.server) return;
      to.destroy();
      pairs.delete(pair);
    });
  };

  const server = createServer((client) => {
    if (refusing) return void client.resetAndDestroy();
    client.setNoDelay(true);
    const pair: ConnectionPair = { client, server: connect(socketPath), halfOpen: false };
    pairs.add(pair);
    forward(pair, client, pair.server);
    forward(pair, pair.server, client);
    if (still) pausePair(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');

  const cut = (): void => {
    for (const { client, server: behind } of pairs) {
      client.resetAndDestroy();
      behind.destroy();
    }
    pairs.clear();
  };
  return {
    port: address.port,
    resetConnections: cut,
    setDelay(milliseconds) {
      delayMs = milliseconds;
    },
    setStalled(on) {
      still = on;
      for (const pair of pairs) (on ? pausePair : resumePair)(pair);
    },
    halfOpenConnections(serverEndsAfter) {
      for (const pair of pairs) {
        pair.halfOpen = true;
        setTimeout(() => pair.server.destroy(), serverEndsAfter);
      }
    },
    setRefusing(on) {
      refusing = on;
      if (on) cut();
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

function pausePair({ client, server }: ConnectionPair): void {
  client.pause();
  server.pause();
}

function resumePair({ client, server }: ConnectionPair): void {
  client.resume();
  server.resume();
}
