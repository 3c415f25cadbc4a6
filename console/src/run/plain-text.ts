/** Plain text of program output. */

// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const escapeSequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g;

export function stripEscapeSequences(text: string): string {
  return text.replaceAll(escapeSequences, '');
}

/** Returns the last lines of a text and its total line count. */
export function tailLines(text: string, maximum: number): { readonly text: string; readonly lines: number } {
  const lines = text.replace(/\n$/, '').split('\n');
  return { text: lines.slice(-maximum).join('\n'), lines: lines.length };
}
