/** Renders terminal output as HTML: keeps colours and drops all other control sequences. */
import { html, type Markup, trustedMarkup } from './markup.ts';

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** Style of the text after a control sequence. */
interface TextStyle {
  readonly bold: boolean;
  readonly colour: (typeof colours)[number] | undefined;
}

const plainStyle: TextStyle = { bold: false, colour: undefined };

const escape = '\u001B';

/** Control sequence such as `[31m`: parameters, intermediates and a final letter. */
const controlSequence = /^\[([0-?]*)[ -/]*([@-~])/;

/** Renders terminal output; overwritten lines, such as progress bars, show their last content. */
export function renderTerminalText(text: string): Markup {
  const [first = '', ...commands] = applyCarriageReturns(text).split(escape);
  const pieces = [html`${first}`];
  let style = plainStyle;
  for (const command of commands) {
    const [sequence, parameters = '', letter] = controlSequence.exec(command) ?? [];
    if (letter === 'm') style = applyStyleCodes(style, parameters);
    pieces.push(
      styledMarkup(sequence === undefined ? stripCommand(command) : command.slice(sequence.length), style),
    );
  }
  return trustedMarkup(pieces.map((piece) => piece.text).join(''));
}

/** Removes what a carriage return overwrites. */
function applyCarriageReturns(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  return lines.includes('\r') ? lines.replaceAll(/^.*\r(?=[^\r\n])/gm, '').replaceAll('\r', '') : lines;
}

/**
 * Removes an escape sequence other than a control sequence: a window title up to its end, or one character.
 */
function stripCommand(command: string): string {
  if (!command.startsWith(']')) return command.slice(1);
  const end = command.indexOf('\u0007');
  return end === -1 ? '' : command.slice(end + 1);
}

function styledMarkup(text: string, { bold, colour }: TextStyle): Markup {
  const names = [...(bold ? ['bold'] : []), ...(colour === undefined ? [] : [colour])];
  return names.length === 0 || text === ''
    ? html`${text}`
    : html`<span class="${names.map((name) => `t-${name}`).join(' ')}">${text}</span>`;
}

/** Returns the style after `ESC [ parameters m`. Backgrounds and extended colours are ignored. */
function applyStyleCodes(style: TextStyle, parameters: string): TextStyle {
  let { bold, colour } = style;
  const codes = parameters.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) [bold, colour] = [false, undefined];
    else if (code === 1) bold = true;
    else if (code === 22) bold = false;
    else if (code === 39) colour = undefined;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = colours[code % 10];
    // 38;5;n and 38;2;r;g;b: their parameters are not codes.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
  }
  return { bold, colour };
}
