/** Keeps what the running cell shows, in its order, up to the most that a cell may show. */
import { truncateUtf8, type CellOutput } from '../../../engine/run/output.ts';
import type { Shown } from './order.ts';

export interface Recorder extends Shown {
  startCell(): void;
  outputs(): readonly CellOutput[];
}

export interface RecorderOptions {
  /** Most bytes of a cell. */
  readonly limit: number;
  /** After each output that was kept. */
  readonly onGrowth: () => void;
  /** What would go beyond the limit is cut, then this is called. */
  readonly onOverflow: () => void;
}

export function createRecorder({ limit, onGrowth, onOverflow }: RecorderOptions): Recorder {
  let outputs: CellOutput[] = [];
  let size = 0;
  const fits = (bytes: number): boolean => {
    size += bytes;
    return size <= limit;
  };
  const keep = (stream: 'stdout' | 'stderr', text: string): void => {
    const last = outputs.at(-1);
    if (last?.type === stream) outputs[outputs.length - 1] = { type: stream, data: last.data + text };
    else if (text !== '') outputs.push({ type: stream, data: text });
  };
  return {
    startCell() {
      outputs = [];
      size = 0;
    },
    outputs: () => outputs,
    write(stream, text) {
      const room = Math.max(0, limit - size);
      const whole = fits(Buffer.byteLength(text));
      keep(stream, whole ? text : truncateUtf8(text, room).text);
      if (whole) onGrowth();
      else onOverflow();
    },
    add(output) {
      if (!fits(bytesOf(output))) return onOverflow();
      outputs.push(output);
      onGrowth();
    },
  };
}

function bytesOf(output: CellOutput): number {
  return Buffer.byteLength('data' in output ? output.data : JSON.stringify(output));
}
