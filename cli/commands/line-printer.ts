/**
 * Prints text that comes in pieces by whole lines, so that several logs do not mix within one, made safe for
 * the terminal.
 */
import { once } from 'node:events';
import { sanitizeTerminalText } from './sanitize-terminal-text.ts';

/** A line without an end is printed in pieces of this many characters. */
const maximumLineLength = 65_536;
/** A command to the terminal that a piece may break is not longer. */
const maximumEscapeLength = 200;

export interface LinePrinter {
  /** Resolves when the reader can take more. */
  print(text: string): Promise<void>;
  /** Prints what is left of a line that has no end. */
  flush(): Promise<void>;
}

/** @param prefix what each line begins with */
export function createLinePrinter(
  out: NodeJS.WritableStream & { readonly isTTY?: boolean },
  prefix: string,
): LinePrinter {
  let rest = '';
  let begun = false;
  const write = async (text: string): Promise<void> => {
    if (out.write(text)) return;
    const heard = new AbortController();
    const { signal } = heard;
    await Promise.race([once(out, 'drain', { signal }), once(out, 'close', { signal })]).finally(() =>
      heard.abort(),
    );
  };
  const shown = (text: string): string => sanitizeTerminalText(text, out.isTTY === true);
  return {
    async print(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) {
        await write(
          lines.map((line, index) => `${begun && index === 0 ? '' : prefix}${shown(line)}\n`).join(''),
        );
        begun = false;
      }
      while (rest.length > maximumLineLength + maximumEscapeLength) {
        await write(`${begun ? '' : prefix}${shown(rest.slice(0, maximumLineLength))}`);
        rest = rest.slice(maximumLineLength);
        begun = true;
      }
    },
    async flush() {
      if (rest !== '' || begun) await write(`${begun ? '' : prefix}${shown(rest)}\n`);
      [rest, begun] = ['', false];
    },
  };
}
