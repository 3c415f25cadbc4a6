/**
 * Text that was written for a terminal, as HTML: colours are kept, every other command to the terminal is
 * dropped.
 */
import { html, type Markup, trustedMarkup } from './markup.ts';

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** How the text that follows looks. */
interface TextStyle {
  readonly bold: boolean;
  readonly colour: (typeof colours)[number] | undefined;
}

const plainStyle: TextStyle = { bold: false, colour: undefined };

const escape = '\u001B';

/** `[31m` and the like: parameters, intermediates, and the final letter that says what is to be done. */
const controlSequence = /^\[([0-?]*)[ -/]*([@-~])/;

/** Redrawn lines (progress bars) come out as they looked in the end. */
export function renderTerminalText(text: string): Markup {
  const [first = '', ...commands] = applyCarriageReturns(text).split(escape);
  const pieces = [html`${first}`];
  let look = plainStyle;
  for (const command of commands) {
    const [sequence, parameters = '', letter] = controlSequence.exec(command) ?? [];
    if (letter === 'm') look = applyStyleCodes(look, parameters);
    pieces.push(
      styledMarkup(sequence === undefined ? stripCommand(command) : command.slice(sequence.length), look),
    );
  }
  return trustedMarkup(pieces.map((piece) => piece.text).join(''));
}

/** A carriage return begins the line anew: what was written before it is overdrawn. */
function applyCarriageReturns(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  return lines.includes('\r') ? lines.replaceAll(/^.*\r(?=[^\r\n])/gm, '').replaceAll('\r', '') : lines;
}

/**
 * What follows a command that is no control sequence: the title of the window up to its bell, or one
 * character.
 */
function stripCommand(command: string): string {
  if (!command.startsWith(']')) return command.slice(1);
  const bell = command.indexOf('\u0007');
  return bell === -1 ? '' : command.slice(bell + 1);
}

function styledMarkup(text: string, { bold, colour }: TextStyle): Markup {
  const names = [...(bold ? ['bold'] : []), ...(colour === undefined ? [] : [colour])];
  return names.length === 0 || text === ''
    ? html`${text}`
    : html`<span class="${names.map((name) => `t-${name}`).join(' ')}">${text}</span>`;
}

/** The look after `ESC [ parameters m`. Backgrounds and colours beyond the first sixteen are not shown. */
function applyStyleCodes(look: TextStyle, parameters: string): TextStyle {
  let { bold, colour } = look;
  const codes = parameters.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) [bold, colour] = [false, undefined];
    else if (code === 1) bold = true;
    else if (code === 22) bold = false;
    else if (code === 39) colour = undefined;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = colours[code % 10];
    // 38;5;n and 38;2;r;g;b: their numbers are no codes of their own.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
  }
  return { bold, colour };
}
