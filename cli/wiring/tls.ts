/** TLS of the service: certificate and key, and a check for unencrypted access. */
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../engine/errors.ts';
import { ConfigError, type Config } from '../config.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Reads certificate and key; undefined without TLS. @throws ConfigError when one is missing or unreadable */
export async function readTls({
  tlsCert,
  tlsKey,
}: Pick<Config, 'tlsCert' | 'tlsKey'>): Promise<TlsFiles | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new ConfigError('RUNYARD_TLS_CERT and RUNYARD_TLS_KEY belong together: set both, or none.');
  return { cert: await readPem('RUNYARD_TLS_CERT', tlsCert), key: await readPem('RUNYARD_TLS_KEY', tlsKey) };
}

/** Returns true when the service listens beyond this machine without TLS and without a trusted proxy. */
export function isUnencrypted({
  host,
  tlsCert,
  trustedProxies,
}: Pick<Config, 'host' | 'tlsCert' | 'trustedProxies'>): boolean {
  return (
    tlsCert === undefined && trustedProxies.length === 0 && !/^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host)
  );
}

async function readPem(variable: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${variable} names ${path}, which cannot be read: ${messageOf(error)}.`);
  });
  if (!text.includes('-----BEGIN '))
    throw new ConfigError(`${variable} names ${path}, which is not a PEM file.`);
  return text;
}
