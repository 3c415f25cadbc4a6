/** Progress of transfers: a bar on a terminal, nothing elsewhere. */
import { Presets, SingleBar } from 'cli-progress';
import { wantsPlainText } from '../config.ts';
import { formatBytes } from './format-values.ts';

export interface ProgressBar {
  add(bytes: number): void;
  stop(): void;
}

/** Shorter transfers are over before a bar is read. */
const shownFromBytes = 5_000_000;

/** @param totalBytes size of all files */
export function createProgressBar(totalBytes: number): ProgressBar {
  if (!process.stderr.isTTY || wantsPlainText() || totalBytes < shownFromBytes)
    return { add: () => undefined, stop: () => undefined };
  const bar = new SingleBar(
    {
      format: '{bar} {percentage} %  {done} of {all}  {eta} s left',
      clearOnComplete: true,
      stream: process.stderr,
    },
    Presets.shades_classic,
  );
  let done = 0;
  bar.start(totalBytes, 0, { done: formatBytes(0), all: formatBytes(totalBytes) });
  return {
    add(bytes) {
      done += bytes;
      bar.update(done, { done: formatBytes(done) });
    },
    stop: () => bar.stop(),
  };
}
