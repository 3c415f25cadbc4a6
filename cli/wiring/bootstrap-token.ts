/**
 * The token of the first administrator: given by the configuration, or generated once and kept in the data
 * directory.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../engine/errors.ts';
import { generateTokenValue } from '../../engine/token/generate-token.ts';
import type { Config } from '../config.ts';

/** Where a generated token is kept, readable by the engine's user alone. */
export function bootstrapTokenPath(dataDirectory: string): string {
  return join(dataDirectory, 'bootstrap-token');
}

/** The token kept in a data directory; undefined when none was generated there. */
export async function readBootstrapToken(dataDirectory: string): Promise<string | undefined> {
  try {
    return (await readFile(bootstrapTokenPath(dataDirectory), 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The token to start with; `isNew` when it was generated just now, so that it can be shown once. */
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
