/** Extracts the lines with the reason from the output of a failed installer. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { codeOf } from '../../engine/errors.ts';
import { readLogTail } from '../../engine/log-file.ts';
import { truncateText } from '../../engine/validation/messages.ts';

const tailBytes = 64 * 2 ** 10;
const linesMax = 6;
const charactersMax = 1_000;

/** Error lines of the installers of Python and Java, without mere references to help. */
const errorLine = /^\s*(?:\[ERROR\]|ERROR:|error:|Error|[\w.]+(?:Error|Exception):)\s*\S/;
const helpLine =
  /^\[ERROR\]\s*(?:->? ?\[Help|\[Help|To see the full stack|Re-run Maven|For more information)|pip's dependency resolver/;

/** Returns the errors of an installer from `stdout` and `stderr` in a directory, on one line. */
export async function readInstallErrors(directory: string): Promise<string> {
  const logs = [
    await readLogTail(join(directory, 'stdout'), tailBytes),
    await readLogTail(join(directory, 'stderr'), tailBytes),
  ];
  const all = logs.join('\n').split('\n').map(stripControlCharacters);
  const lines = all.filter((line) => line.trim() !== '' && !/^\[notice\]|^WARNING:/.test(line));
  const errors = [...new Set(lines.filter((line) => errorLine.test(line) && !helpLine.test(line)))];
  const chosen = errors.length > 0 ? errors.slice(-linesMax) : lines.slice(-linesMax);
  const words = [...findUnreachableIndex(all), ...chosen]
    .map((line) => line.trim().replace(/ -> \[Help \d+\]$/, ''))
    .join(' ');
  // Clients take these phrases for transient errors and poll for minutes.
  return truncateText(
    words.replaceAll(
      /Unexpected error|Timed out after|deadline exceeded/gi,
      (phrase) => neutralPhrases[phrase.toLowerCase()] ?? phrase,
    ),
    charactersMax,
  );
}

/** Finds the last retry warning of pip, the only sign that the index is unreachable. */
function findUnreachableIndex(lines: readonly string[]): string[] {
  const [, error = '', path = ''] =
    lines
      .map((line) => /^WARNING: Retrying \(Retry\(total=0\b.* connection broken by '(.+)': (\S+)$/.exec(line))
      .findLast((match) => match !== null) ?? [];
  const reason = error.replace(/^\w+\(['"]?(?:<[^>]*>: )?/, '').replace(/['"]?\)$/, '');
  return reason === '' ? [] : [`The package index could not be reached (${path}): ${reason}.`];
}

const neutralPhrases: Readonly<Record<string, string>> = {
  'unexpected error': 'error',
  'timed out after': 'no answer within',
  'deadline exceeded': 'no answer in time',
};

/** Removes colours and other control characters. */
function stripControlCharacters(line: string): string {
  return stripVTControlCharacters(line).replaceAll(/[^\P{Cc}\t]/gu, '');
}

/** Tells whether a file begins with the signature of a zip archive. */
export async function isZip(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  try {
    const { buffer, bytesRead } = (await file?.read(Buffer.alloc(4), 0, 4, 0)) ?? {
      buffer: Buffer.alloc(0),
      bytesRead: 0,
    };
    return (
      bytesRead === 4 &&
      buffer.toString('latin1', 0, 2) === 'PK' &&
      [0x0403, 0x0605].includes(buffer.readUInt16LE(2))
    );
  } finally {
    await file?.close();
  }
}
