/**
 * Parser of terminal output: splits text into styled parts, and drops all escape sequences except colours.
 */

/** Part of a text with its class names, which are empty for plain text. */
export interface StyledText {
  /** Offset in the whole text. */
  readonly offset: number;
  readonly text: string;
  readonly className: string;
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

// oxlint-disable no-control-regex -- the patterns match control characters
const escapeSequence =
  /\u001B(?:\[([0-?]*)[ -/]*([@-~])?|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~]?)/g;
const controlCharacters = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
// oxlint-enable no-control-regex

export function parseAnsiText(text: string): StyledText[] {
  const pieces: StyledText[] = [];
  let [bold, colour] = [false, ''];
  const add = (from: number, to: number): void => {
    const part = text.slice(from, to);
    const clean = part.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replaceAll(controlCharacters, '');
    if (clean !== '')
      pieces.push({
        offset: from,
        text: clean,
        className: [bold ? 't-bold' : '', colour].filter((name) => name !== '').join(' '),
      });
  };
  let at = 0;
  for (const match of text.matchAll(escapeSequence)) {
    add(at, match.index);
    at = match.index + match[0].length;
    if (match[2] === 'm') [bold, colour] = applyStyleCodes(bold, colour, match[1] ?? '');
  }
  add(at, text.length);
  return pieces;
}

/** Returns the style after `ESC [ parameters m`. Supports bold and sixteen foreground colours. */
function applyStyleCodes(boldBefore: boolean, colourBefore: string, parameters: string): [boolean, string] {
  let [bold, colour] = [boldBefore, colourBefore];
  const codes = parameters.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) [bold, colour] = [false, ''];
    else if (code === 1) bold = true;
    else if (code === 22) bold = false;
    else if (code === 39) colour = '';
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97))
      colour = `t-${colours[code % 10] ?? 'black'}`;
    // Skips the parameters of 38;5;n and 38;2;r;g;b.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
  }
  return [bold, colour];
}
