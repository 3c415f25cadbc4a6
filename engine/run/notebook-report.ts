/**
 * The report of a notebook as its file must look: the task can write that file too, so what is read back is
 * checked.
 */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { NotebookReport } from './task-output.ts';

const OutputSchema = Type.Union([
  Type.Object({ type: Type.Enum(['stdout', 'stderr', 'text', 'html']), data: Type.String() }),
  Type.Object({
    type: Type.Literal('table'),
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]))),
    rowsTotal: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  Type.Object({
    type: Type.Literal('image'),
    mime: Type.Enum(['image/png', 'image/jpeg', 'image/gif', 'image/svg+xml']),
    data: Type.String(),
  }),
  Type.Object({ type: Type.Literal('error'), summary: Type.String(), trace: Type.String() }),
]);

// Times are those that a Date can hold.
const timeSchema = Type.Optional(Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 }));

const ReportSchema = Type.Object({
  path: Type.String(),
  language: Type.Optional(Type.Enum(['python', 'sql', 'javascript'])),
  parameters: Type.Optional(Type.Record(Type.String(), Type.String())),
  cells: Type.Array(
    Type.Object({
      position: Type.Integer({ minimum: 1 }),
      language: Type.Enum(['python', 'markdown', 'sql', 'shell', 'pip', 'run', 'javascript']),
      title: Type.Optional(Type.String()),
      source: Type.String(),
      status: Type.Enum(['finished', 'failed', 'skipped']),
      startTime: timeSchema,
      finishTime: timeSchema,
      outputs: Type.Array(OutputSchema),
    }),
  ),
  exitValue: Type.Optional(Type.String()),
  error: Type.Optional(
    Type.Object({ summary: Type.String(), trace: Type.String(), cell: Type.Integer({ minimum: 0 }) }),
  ),
});

/** The report that a value from `notebook.json` is; undefined when it is none. */
export function parseNotebookReport(value: unknown): NotebookReport | undefined {
  return Check(ReportSchema, value) ? value : undefined;
}
