/** Removes escape sequences and control characters from program output, except colours. */

// oxlint-disable no-control-regex -- the patterns match control characters
const colourSequence = /^\u001B\[[\d;:]*m$/;
/**
 * Escape sequences: control sequences, strings (titles, links, clipboards) up to their end, and short ones.
 */
const escapeSequences =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~]?)/g;
/** Control characters except tab and line end; the second range holds the one-byte control sequences. */
const controlCharacters = /[\u0000-\u0008\u000B-\u001A\u001C-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;
// oxlint-enable no-control-regex

/** @param colours keeps colours and resets them at the end of each line */
export function sanitizeTerminalText(text: string, colours: boolean): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/[\n\r]/)
    .map((line) => sanitizeLine(line, colours))
    .join('\n');
}

function sanitizeLine(line: string, colours: boolean): string {
  let coloured = false;
  const safe = line
    .replaceAll(escapeSequences, (command) => {
      if (!colours || !colourSequence.test(command)) return '';
      coloured = true;
      return command;
    })
    .replaceAll(controlCharacters, '');
  return coloured ? `${safe}\u001B[0m` : safe;
}
