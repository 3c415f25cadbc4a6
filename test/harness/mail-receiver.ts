/** Mail server that keeps every mail and refuses, stalls or disconnects on request. */
import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly from: string;
  readonly raw: string;
  /** User that authenticated, if any. */
  readonly user: string | undefined;
  readonly secure: boolean;
}

/** SMTP reply code that refuses a recipient; `stall` sends no reply; `cut` closes the connection. */
export type ReplyBehavior = number | 'stall' | 'cut';

export interface MailReceiver {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Queues replies for the next mails to an address; later mails are accepted. */
  queueReplies(address: string, ...behaviors: ReplyBehavior[]): void;
  waitForMails(isReached: (mails: readonly ReceivedMail[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

class SmtpError extends Error {
  readonly responseCode: number;
  constructor(responseCode: number) {
    super(`refused with ${responseCode}`);
    this.responseCode = responseCode;
  }
}

export async function startMailReceiver(options: SMTPServerOptions = {}, port = 0): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  const replies = new Map<string, ReplyBehavior[]>();
  const waiters = new Set<() => void>();
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    disabledCommands: options.onAuth === undefined ? ['AUTH', 'STARTTLS'] : [],
    ...options,
    onRcptTo({ address }, session, callback) {
      const behavior = replies.get(address)?.shift();
      if (behavior === undefined) callback();
      else if (behavior === 'cut')
        for (const socket of sockets) {
          if (socket.remotePort === session.remotePort) socket.destroy();
        }
      else if (behavior !== 'stall') callback(new SmtpError(behavior));
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
        for (const notify of waiters) notify();
      });
    },
  });
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  // Tests disconnect clients on purpose.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    queueReplies: (address, ...behaviors) => {
      replies.set(address, behaviors);
    },
    waitForMails: (isReached) =>
      new Promise((resolve) => {
        const notify = (): void => {
          if (!isReached(mails)) return;
          waiters.delete(notify);
          resolve();
        };
        waiters.add(notify);
        notify();
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
