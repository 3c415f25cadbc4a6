/** Text of a program as it can be read: without the marks by which terminals change colours. */

// oxlint-disable-next-line no-control-regex -- these characters are what is looked for
const escapeSequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g;

export function stripEscapeSequences(text: string): string {
  return text.replaceAll(escapeSequences, '');
}

/** The last lines of a text, and how many there are in all. */
export function tailLines(text: string, most: number): { readonly text: string; readonly lines: number } {
  const lines = text.replace(/\n$/, '').split('\n');
  return { text: lines.slice(-most).join('\n'), lines: lines.length };
}
