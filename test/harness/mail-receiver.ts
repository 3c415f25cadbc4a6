/** A mail server: keeps every mail, and refuses, stalls or cuts as it is told. */
import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly from: string;
  readonly raw: string;
  /** Who sent it, when that was said. */
  readonly user: string | undefined;
  readonly secure: boolean;
}

/**
 * A reply code with which a recipient or content is refused; `stall`: no reply; `cut`: the end of the
 * connection.
 */
export type ReplyBehavior = number | 'stall' | 'cut';

export interface MailReceiver {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** What becomes of the next mails to an address, one after the other; then they are taken. */
  queueReplies(address: string, ...how: ReplyBehavior[]): void;
  waitForMails(holds: (mails: readonly ReceivedMail[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

class SmtpError extends Error {
  readonly responseCode: number;
  constructor(responseCode: number) {
    super(`said ${responseCode}`);
    this.responseCode = responseCode;
  }
}

export async function startMailReceiver(options: SMTPServerOptions = {}, port = 0): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  const answers = new Map<string, ReplyBehavior[]>();
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    disabledCommands: options.onAuth === undefined ? ['AUTH', 'STARTTLS'] : [],
    ...options,
    onRcptTo({ address }, session, callback) {
      const how = answers.get(address)?.shift();
      if (how === undefined) callback();
      else if (how === 'cut')
        for (const socket of sockets) {
          if (socket.remotePort === session.remotePort) socket.destroy();
        }
      else if (how !== 'stall') callback(new SmtpError(how));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          raw: Buffer.concat(chunks).toString('utf8'),
          user: typeof session.user === 'string' ? session.user : undefined,
          secure: session.secure,
        });
        callback();
        for (const look of waiting) look();
      });
    },
  });
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  // Clients that go away in the middle are part of the game.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    queueReplies: (address, ...how) => {
      answers.set(address, how);
    },
    waitForMails: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds(mails)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
