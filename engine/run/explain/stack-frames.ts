/** Frames of stack traces: those of the user's files, and the position of the failure. */
import type { CodePlace } from './failure.ts';

/** Stack frame. */
interface Frame {
  readonly at: CodePlace;
  readonly text: string;
  /** True for code of libraries and of the interpreter. */
  readonly isLibrary: boolean;
}

export interface UserFrames {
  /** Innermost frame of the user's files; undefined without one. */
  readonly at: CodePlace | undefined;
  /** Frames of the user's files, innermost last. */
  readonly frames: readonly string[];
  /** Frames of libraries that were left out. */
  readonly foldedFrames: number;
}

const framesMax = 5;
const frameCharactersMax = 200;

const libraryFile =
  /site-packages|dist-packages|\/lib\/python\d|^<frozen|\/pyspark\/|\/runyard_driver\/|^node:|node_modules/;
const libraryClass = /^(?:java|javax|jdk|sun|com\.sun|scala|kotlin|org\.apache\.spark|org\.apache\.hadoop)\./;

/** Returns the frames of a trace of Python, Java or JavaScript that belong to the user's files. */
export function userFramesOf(trace: string): UserFrames {
  const frames = framesOf(trace);
  const own = frames.filter(({ isLibrary }) => !isLibrary);
  return {
    at: own.at(-1)?.at,
    frames: own.slice(-framesMax).map(({ text }) => text.slice(0, frameCharactersMax)),
    foldedFrames: frames.length - Math.min(own.length, framesMax),
  };
}

/** Returns all frames, innermost last. */
function framesOf(trace: string): Frame[] {
  const lines = trace.split('\n');
  const python = lines.flatMap((line, at) => pythonFrame(line, lines[at + 1] ?? ''));
  if (python.length > 0) return python;
  const cell = /^Cell (\d+), line (\d+):?/m.exec(trace);
  // Java and JavaScript print the innermost frame first; the causes follow the exception that wraps them.
  const causes = trace.split(/^(?=Caused by: )/m);
  const others = causes.flatMap((cause) =>
    cause
      .split('\n')
      .flatMap((line) => javaFrame(line) ?? javascriptFrame(line) ?? [])
      .toReversed(),
  );
  if (cell === null) return others;
  const at = { cell: Number(cell[1]), line: Number(cell[2]) };
  return [...others, { at, text: cell[0].replace(/:$/, ''), isLibrary: false }];
}

function pythonFrame(line: string, next: string): Frame[] {
  const file = /^[\s|+]*File "([^"]+)", line (\d+)/.exec(line);
  if (file !== null) {
    const [, name = '', number] = file;
    const code = /^[\s|]{4,}\S/.test(next) ? `: ${next.trim().replace(/^\| */, '')}` : '';
    const text = `${name}, line ${number}${code}`;
    return [{ at: { file: name, line: Number(number) }, text, isLibrary: libraryFile.test(name) }];
  }
  const cell = /^[\s|+]*(?:(\/[^"\n]*), cell|Cell) (\d+), line (\d+)/.exec(line);
  if (cell === null) return [];
  const [whole, notebook, position, number] = cell;
  const at = {
    cell: Number(position),
    line: Number(number),
    ...(notebook !== undefined && { file: notebook }),
  };
  const code = /^[\s|]{4,}\S/.test(next) ? `: ${next.trim()}` : '';
  return [{ at, text: `${whole.trim()}${code}`, isLibrary: false }];
}

function javaFrame(line: string): Frame | undefined {
  const [, name = '', file, number] =
    /^\s*at ((?:[\w.]+\/)?[\w.$]+)\.[\w$<>]+\(([\w$]+\.(?:java|scala|kt)):(\d+)\)/.exec(line) ?? [];
  if (file === undefined) return undefined;
  const isLibrary = name.includes('/') || libraryClass.test(name);
  return { at: { file, line: Number(number) }, text: line.trim(), isLibrary };
}

function javascriptFrame(line: string): Frame | undefined {
  const [, cell, number] = /^\s*at .*Cell (\d+), line (\d+):\d+/.exec(line) ?? [];
  if (cell !== undefined)
    return { at: { cell: Number(cell), line: Number(number) }, text: line.trim(), isLibrary: false };
  const [, file, row] = /^\s*at (?:.*\()?(?:file:\/\/)?([^()\s]+):(\d+):\d+\)?$/.exec(line) ?? [];
  if (file === undefined) return undefined;
  return { at: { file, line: Number(row) }, text: line.trim(), isLibrary: libraryFile.test(file) };
}
