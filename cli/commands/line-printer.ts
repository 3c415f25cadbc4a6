/** Prints streamed text in whole lines, so that several logs do not mix, and sanitizes it for terminals. */
import { once } from 'node:events';
import { sanitizeTerminalText } from './sanitize-terminal-text.ts';

/** Longer lines are printed in parts of this many characters. */
const maximumLineLength = 65_536;
/** Maximum length of an escape sequence, which must not be split between two parts. */
const maximumEscapeLength = 200;

export interface LinePrinter {
  /** Resolves when the output accepts more text (backpressure). */
  print(text: string): Promise<void>;
  /** Prints the rest of an incomplete line. */
  flush(): Promise<void>;
}

/** Stream that takes whole lines. */
export type LineOutput = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** @param prefix begins each line */
export function createLinePrinter(out: LineOutput, prefix: string): LinePrinter {
  let rest = '';
  let begun = false;
  const write = async (text: string): Promise<void> => {
    if (out.write(text)) return;
    const settled = new AbortController();
    const { signal } = settled;
    await Promise.race([once(out, 'drain', { signal }), once(out, 'close', { signal })]).finally(() =>
      settled.abort(),
    );
  };
  const sanitize = (text: string): string => sanitizeTerminalText(text, out.isTTY === true);
  return {
    async print(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) {
        await write(
          lines.map((line, index) => `${begun && index === 0 ? '' : prefix}${sanitize(line)}\n`).join(''),
        );
        begun = false;
      }
      while (rest.length > maximumLineLength + maximumEscapeLength) {
        await write(`${begun ? '' : prefix}${sanitize(rest.slice(0, maximumLineLength))}`);
        rest = rest.slice(maximumLineLength);
        begun = true;
      }
    },
    async flush() {
      if (rest !== '' || begun) await write(`${begun ? '' : prefix}${sanitize(rest)}\n`);
      [rest, begun] = ['', false];
    },
  };
}
