/** TCP proxy in front of PostgreSQL that resets, delays, stalls and half-opens connections. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface FaultyProxy {
  readonly port: number;
  /** Resets all connections. */
  resetConnections(): void;
  /** Delays data in both directions; 0 ends the delay. */
  setDelay(milliseconds: number): void;
  /** Holds back all data while enabled; afterwards the connections continue. */
  setStalled(enabled: boolean): void;
  /**
   * Makes all current connections half-open: the server side closes after a delay, and the client receives
   * neither the close nor any data. New connections work.
   */
  halfOpenConnections(serverCloseMs: number): void;
  /** Resets all connections and refuses new ones while enabled. */
  setRefusing(enabled: boolean): void;
  close(): Promise<void>;
}

interface ConnectionPair {
  readonly client: Socket;
  readonly server: Socket;
  /** True when no data passes any more. */
  halfOpen: boolean;
}

/** @param socketPath path of the PostgreSQL socket */
export async function startFaultyProxy(socketPath: string): Promise<FaultyProxy> {
  const pairs = new Set<ConnectionPair>();
  let refusing = false;
  let stalled = false;
  let delayMs = 0;

  const forward = (pair: ConnectionPair, from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (pair.halfOpen) return;
      const pass = (): void => {
        if (!pair.halfOpen && !to.destroyed) to.write(chunk);
      };
      if (delayMs === 0) return pass();
      // One chunk at a time: no chunk overtakes another when the delay ends.
      from.pause();
      setTimeout(() => {
        pass();
        if (!stalled) from.resume();
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
    if (stalled) pausePair(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');

  const resetConnections = (): void => {
    for (const { client, server: serverSocket } of pairs) {
      client.resetAndDestroy();
      serverSocket.destroy();
    }
    pairs.clear();
  };
  return {
    port: address.port,
    resetConnections,
    setDelay(milliseconds) {
      delayMs = milliseconds;
    },
    setStalled(enabled) {
      stalled = enabled;
      for (const pair of pairs) (enabled ? pausePair : resumePair)(pair);
    },
    halfOpenConnections(serverCloseMs) {
      for (const pair of pairs) {
        pair.halfOpen = true;
        setTimeout(() => pair.server.destroy(), serverCloseMs);
      }
    },
    setRefusing(enabled) {
      refusing = enabled;
      if (enabled) resetConnections();
    },
    async close() {
      resetConnections();
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
