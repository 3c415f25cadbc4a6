/** Schema of the report of a notebook. The file is checked when it is read, because the task can write it. */
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

// The maximum is the largest time of a Date.
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

/** Returns the value of `notebook.json` as a report; undefined when it is invalid. */
export function parseNotebookReport(value: unknown): NotebookReport | undefined {
  return Check(ReportSchema, value) ? value : undefined;
}
