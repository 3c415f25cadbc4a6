/** Words for people: what is asked for goes to stdout, everything beside it to stderr. */

/** A line of what the command was asked for. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line that must not end up in the data that somebody pipes away. */
export function printDiagnostic(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Text of an error as one line, whatever it holds. */
export function toSingleLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' | ');
}

/**
 * A reader that left (`runyard ... | head`) is no reason to fall half-way: what is said after that is lost.
 */
export function ignoreBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
