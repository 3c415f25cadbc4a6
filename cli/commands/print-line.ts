/** Output of commands: results go to stdout, diagnostics to stderr. */

/** Prints a line of the result. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line that is not part of the result. */
export function printDiagnostic(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Joins the lines of a text into one. */
export function toSingleLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' | ');
}

/** Ignores output after the reader has closed the pipe, as in `runyard ... | head`. */
export function ignoreBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
