/**
 * The cells of a JavaScript notebook, run one after the other as in the console of a browser's developer
 * tools: what a cell declares is there for the next and may be declared anew, `await` stands where it likes,
 * and the value of the last expression is shown.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { createDisplay } from './javascript-display.ts';
import { importer, withImports } from './javascript-imports.ts';
import { createEvaluator } from './javascript-inspector.ts';
import { cellFile, describeError, type CellSources } from './javascript-trace.ts';
import type { NotebookOrder, Session, Shown } from './order.ts';
import { createUtilities } from './utilities.ts';

/**
 * @param workspace its directory: modules with a relative path are looked for in the folder of the notebook
 */
export function openJavascript(order: NotebookOrder, workspace: string, shown: Shown): Session {
  const folder = join(workspace, dirname(order.path.replace(/^\/Workspace(?=\/)/, '')));
  const evaluator = createEvaluator();
  const sources: CellSources = new Map();
  const utilities = createUtilities(order);
  const display = createDisplay(shown);
  define({
    dbutils: utilities.dbutils,
    display: display.display,
    displayHTML: display.displayHtml,
    require: createRequire(join(folder, 'notebook.js')),
    [importer.name]: importer.from(folder),
  });
  teeStreams(shown);
  process.argv = [process.execPath, order.path];
  // Below the notebook's own frames lie those of the libraries that it calls.
  Error.stackTraceLimit = 50;
  return {
    async run({ position, source }) {
      const code = await withImports(source);
      sources.set(position, { source, code });
      const evaluated = await evaluator.evaluate(code, cellFile(position));
      // A cell that catches the exit all the same has called it.
      if (utilities.exitValue() !== undefined) return;
      if (evaluated.kind === 'value') display.last(evaluated.value);
      else
        throw describeError(evaluated.thrown, sources, {
          cell: position,
          line: evaluated.line,
          column: evaluated.column,
        });
    },
    failureOf: (error) => describeError(error, sources),
    exitValue: utilities.exitValue,
    close: evaluator.close,
  };
}

/** Names that cells find, and may use for something else. */
function define(globals: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

/** What is written to stdout and stderr goes to the log files, and to the cell. */
function teeStreams(shown: Shown): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const write = stream.write.bind(stream);
    const decoder = new StringDecoder('utf8');
    // Its overloads differ in their last two arguments alone, which are handed on as they came.
    stream.write = ((chunk: string | Uint8Array, ...rest: []): boolean => {
      const written = write(chunk, ...rest);
      shown.write(name, typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk)));
      return written;
    }) as typeof stream.write;
  }
}
