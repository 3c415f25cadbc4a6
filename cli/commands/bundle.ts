/** `runyard bundle`: downloads settings, states, logs and output of a run as one file. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../engine/errors.ts';
import { printLine } from './print-line.ts';
import { openServiceStream } from './service-client.ts';
import { CommandError } from '../start-error.ts';

export interface BundleOptions {
  /** `-` for stdout. */
  readonly output?: string;
}

/**
 * Writes the bundle; the file appears when it is complete. Resolves with the exit code.
 * @throws CommandError
 */
export async function writeBundle(
  runId: number,
  { output = `run-${runId}.tar.gz` }: BundleOptions,
): Promise<number> {
  const { body } = await openServiceStream(`/jobs/runs/bundle?run_id=${runId}`);
  if (body === null) throw new CommandError('The service sent an empty response.');
  // The stream types of the web and of Node differ only in members that are not used here.
  const stream = Readable.fromWeb(body as ReadableStream<Uint8Array>);
  if (output === '-') {
    await pipeline(stream, process.stdout, { end: false }).catch(throwIncomplete);
    return 0;
  }
  const draft = `${output}.${randomUUID()}.part`;
  try {
    await pipeline(stream, createWriteStream(draft, { flags: 'wx', mode: 0o600 }));
    await rename(draft, output);
  } catch (error) {
    await rm(draft, { force: true });
    throwIncomplete(error);
  }
  printLine(output);
  return 0;
}

function throwIncomplete(error: unknown): never {
  throw new CommandError(
    `The bundle could not be written completely (${messageOf(error)}); the partial file was removed. Try again.`,
  );
}
