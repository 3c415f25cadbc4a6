/** Token of the first administrator: configured, or generated once and kept in the data directory. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import { generateTokenValue } from '../../engine/token/generate-token.ts';
import type { Config } from '../config.ts';

/** Returns the file of a generated token, which only the user of the engine can read. */
export function bootstrapTokenPath(dataDirectory: string): string {
  return join(dataDirectory, 'bootstrap-token');
}

/** Reads the generated token of a data directory; undefined when there is none. */
export async function readBootstrapToken(dataDirectory: string): Promise<string | undefined> {
  try {
    return (await readFile(bootstrapTokenPath(dataDirectory), 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the token; `isNew` is true when this call generated it. */
export async function ensureBootstrapToken(
  config: Config,
): Promise<{ readonly token: string; readonly isNew: boolean }> {
  if (config.bootstrapToken !== undefined) return { token: config.bootstrapToken, isNew: false };
  const kept = await readBootstrapToken(config.dataDirectory);
  if (kept !== undefined && kept !== '') return { token: kept, isNew: false };
  const token = generateTokenValue();
  await writeFile(bootstrapTokenPath(config.dataDirectory), `${token}\n`, { mode: 0o600, flush: true });
  return { token, isNew: true };
}
