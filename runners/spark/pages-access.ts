/**
 * Access to Spark's own pages of an application: a port chosen beforehand, and a secret of the cluster that signs
 * the requests. Spark refuses requests without a signature (JWSFilter, since Spark 4).
 */
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import { readHead, undefinedIfMissing } from '../../engine/read-file.ts';

/** Spark takes one of the ports after the chosen one when it is in use. */
export const portTries = 8;
const filterClass = 'org.apache.spark.ui.JWSFilter';

/** Returns the secret of the pages of a cluster. Of concurrent calls, the first one chooses it. */
export function ensurePagesSecret(sparkDirectory: string): Promise<string> {
  return ensureText(join(sparkDirectory, 'pages-secret'), () => randomBytes(32).toString('base64url'));
}

/** Returns the secret of the pages of a cluster; undefined when it has none. */
export async function readPagesSecret(sparkDirectory: string): Promise<string | undefined> {
  const { text } = await readHead(join(sparkDirectory, 'pages-secret'), 100);
  return text === '' ? undefined : text;
}

/** Returns the port for the pages of a driver, chosen by the first call. */
export async function ensurePagesPort(directory: string): Promise<number> {
  const free = await findFreePort();
  return Number(await ensureText(join(directory, 'pages-port'), () => String(free)));
}

/** Returns the port of `ensurePagesPort`; undefined when none was chosen. */
export async function readPagesPort(directory: string): Promise<number | undefined> {
  const port = Number((await readHead(join(directory, 'pages-port'), 10)).text);
  return Number.isInteger(port) && port > 0 && port < 65_536 - portTries ? port : undefined;
}

/** Tells whether a Spark can refuse requests for its pages that are not signed. */
export async function canProtectPages(home: string): Promise<boolean> {
  const jars = (await readdir(join(home, 'jars')).catch(undefinedIfMissing)) ?? [];
  return jars.some((name) => name.startsWith('jjwt-impl-'));
}

/** Returns the properties with which Spark requires signed requests. */
export function protectedPages(secret: string): Record<string, string> {
  return { 'spark.ui.filters': filterClass, [`spark.${filterClass}.param.secretKey`]: secret };
}

/** Signs a request for the pages: a JSON web signature (HS256) without a content. */
export function signRequest(secret: string): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256' })}.${encode({ sub: 'runyard' })}`;
  const signature = createHmac('sha256', Buffer.from(secret, 'base64url')).update(signed).digest('base64url');
  return `${signed}.${signature}`;
}

async function ensureText(file: string, create: () => string): Promise<string> {
  const text = create();
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return text;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return (await readHead(file, 1_000)).text;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
