/**
 * Session of a JavaScript notebook. Cells run as in the console of a browser's developer tools: declarations
 * are visible in later cells and can be repeated, top-level `await` works, and the value of the last
 * expression is shown.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { createDisplay } from './javascript-display.ts';
import { importer, rewriteImports } from './javascript-imports.ts';
import { createEvaluator } from './javascript-evaluator.ts';
import { cellFileName, toCellError, type CellSources } from './javascript-error.ts';
import type { NotebookDriverInput, NotebookSession, CellOutputWriter } from './driver-protocol.ts';
import { createDbutils } from './dbutils.ts';

/** @param workspace directory of the workspace; relative imports start at the folder of the notebook */
export function openJavaScriptSession(
  order: NotebookDriverInput,
  workspace: string,
  shown: CellOutputWriter,
): NotebookSession {
  const folder = join(workspace, dirname(order.path.replace(/^\/Workspace(?=\/)/, '')));
  const evaluator = createEvaluator();
  const sources: CellSources = new Map();
  const utilities = createDbutils(order);
  const display = createDisplay(shown);
  defineGlobals({
    dbutils: utilities.dbutils,
    display: display.display,
    displayHTML: display.displayHtml,
    require: createRequire(join(folder, 'notebook.js')),
    [importer.name]: importer.from(folder),
  });
  teeStreams(shown);
  process.argv = [process.execPath, order.path];
  // Frames of libraries are above the frames of the notebook, so the default of 10 is too low.
  Error.stackTraceLimit = 50;
  return {
    async run({ position, source }) {
      const code = await rewriteImports(source);
      sources.set(position, { source, code });
      const evaluated = await evaluator.evaluate(code, cellFileName(position));
      // The exit call counts even if the cell caught its exception.
      if (utilities.exitValue() !== undefined) return;
      if (evaluated.kind === 'value') display.displayResult(evaluated.value);
      else
        throw toCellError(evaluated.thrown, sources, {
          cell: position,
          line: evaluated.line,
          column: evaluated.column,
        });
    },
    toCellError: (error) => toCellError(error, sources),
    exitValue: utilities.exitValue,
    close: evaluator.close,
  };
}

/** Defines global names that cells can overwrite. */
function defineGlobals(globals: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

/** Copies stdout and stderr, which go to the log files, to the cell as well. */
function teeStreams(shown: CellOutputWriter): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const write = stream.write.bind(stream);
    const decoder = new StringDecoder('utf8');
    // The overloads differ only in the last two arguments, which are passed through.
    stream.write = ((chunk: string | Uint8Array, ...rest: []): boolean => {
      const written = write(chunk, ...rest);
      shown.write(name, typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk)));
      return written;
    }) as typeof stream.write;
  }
}
