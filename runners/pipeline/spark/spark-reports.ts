/** Reports of the program of an update on Spark, as events of the pipeline. */
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { FlowProgressDetails, UpdateState } from '../../../engine/pipeline/events.ts';
import type { UpdatePlan } from '../../../engine/pipeline/update-plan.ts';
import type { EventLog } from '../event-log.ts';

/** The update failed. The message becomes the state message. */
export class SparkUpdateError extends Error {
  override readonly name = 'SparkUpdateError';
  /** File of the definition, in the workspace. */
  readonly file: string | undefined;

  constructor(message: string, file: string | undefined) {
    super(message);
    this.file = file;
  }
}

const ReportSchema = Type.Union([
  Type.Object({ kind: Type.Literal('tables'), names: Type.Array(Type.String()) }),
  Type.Object({
    kind: Type.Literal('flow'),
    flow: Type.String(),
    dataset: Type.String(),
    status: Type.Enum(['RUNNING', 'COMPLETED', 'FAILED']),
    rows: Type.Optional(Type.Integer()),
    quality: Type.Optional(
      Type.Object({
        dropped_records: Type.Integer(),
        expectations: Type.Array(
          Type.Object({
            name: Type.String(),
            dataset: Type.String(),
            passed_records: Type.Integer(),
            failed_records: Type.Integer(),
          }),
        ),
      }),
    ),
    error: Type.Optional(Type.String()),
  }),
  Type.Object({
    kind: Type.Literal('failure'),
    error: Type.String(),
    file: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
]);

type FlowReport = Extract<Type.Static<typeof ReportSchema>, { kind: 'flow' }>;

export interface ReportReader {
  progress(state: UpdateState, message: string): void;
  /** Reads one report; other values are ignored. */
  read(value: unknown): void;
  /** Ends the update by the exit code of the program. @throws SparkUpdateError when it failed */
  finish(code: number): void;
}

export function createReportReader({ updateId, request }: UpdatePlan, log: EventLog): ReportReader {
  let failure: SparkUpdateError | undefined;
  const progress = (state: UpdateState, message: string): void =>
    log.write({
      level: 'INFO',
      event_type: 'update_progress',
      message,
      details: { update_progress: { state } },
    });
  return {
    progress,
    read(value) {
      if (!Check(ReportSchema, value)) return;
      switch (value.kind) {
        case 'tables':
          progress('SETTING_UP_TABLES', `Tables of the pipeline: ${value.names.join(', ')}.`);
          if (!request.validateOnly) progress('RUNNING', `Update ${updateId} is running.`);
          return;
        case 'flow':
          return writeFlow(log, value);
        case 'failure':
          failure = new SparkUpdateError(value.error, value.file ?? undefined);
          return;
        default:
          return value satisfies never;
      }
    },
    finish(code) {
      if (failure !== undefined) throw failure;
      if (code !== 0)
        throw new SparkUpdateError(`The program of the update ended with exit code ${code}.`, undefined);
      progress(
        'COMPLETED',
        request.validateOnly
          ? 'The pipeline is valid; nothing was computed.'
          : `Update ${updateId} is complete.`,
      );
    },
  };
}

function writeFlow(log: EventLog, { flow, dataset, status, rows, quality, error }: FlowReport): void {
  const details: FlowProgressDetails = {
    status,
    ...(rows !== undefined && { metrics: { num_output_rows: rows } }),
    ...(quality !== undefined && { data_quality: quality }),
  };
  const dropped = quality?.dropped_records ?? 0;
  const messages = {
    RUNNING: `Flow ${flow} is running.`,
    COMPLETED: `Flow ${flow} is complete: ${rows ?? 0} rows were written${dropped === 0 ? '' : `, ${dropped} were dropped by expectations`}.`,
    FAILED: `Flow ${flow} failed: ${error ?? ''}`,
  };
  log.write({
    level: status === 'FAILED' ? 'ERROR' : 'INFO',
    event_type: 'flow_progress',
    flow,
    dataset,
    message: messages[status],
    details: { flow_progress: details },
    ...(error !== undefined && { error }),
  });
}
