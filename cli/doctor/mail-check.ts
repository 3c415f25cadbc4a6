/** Check of the mail server: whether it accepts connections. */
import { connect } from 'node:net';
import { messageOf } from '../../engine/errors.ts';
import type { Config } from '../config.ts';
import type { CheckResult } from './check-result.ts';

const timeoutMs = 5_000;

/** Connects to the server of RUNYARD_SMTP_URL; sends nothing. */
export async function checkMailServer({ smtpUrl }: Pick<Config, 'smtpUrl'>): Promise<CheckResult> {
  if (smtpUrl === undefined)
    return { state: 'ok', found: 'none: mails are stored as files (RUNYARD_SMTP_URL is not set)' };
  const { hostname, port, protocol } = new URL(smtpUrl);
  const number = port === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(port);
  const found = `${hostname}:${number}`;
  const error = await tryConnection(hostname.replace(/^\[|\]$/g, ''), number);
  if (error === undefined) return { state: 'ok', found };
  return {
    state: 'warn',
    found,
    advice: `The mail server ${found} refused the connection (${error}). Mails are tried again for 24 hours; correct RUNYARD_SMTP_URL or start the server.`,
  };
}

/** Returns why a connection fails; undefined when it succeeds. */
function tryConnection(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs }, () => finish(undefined));
    const finish = (error: string | undefined): void => {
      socket.destroy();
      resolve(error);
    };
    socket.once('error', (error) => finish(messageOf(error)));
    socket.once('timeout', () => finish(`no answer within ${timeoutMs / 1_000} s`));
  });
}
