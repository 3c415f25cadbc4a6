/** Events of the event log of an update. */
import { toIsoTime } from '../clock.ts';

export type EventLevel = 'INFO' | 'WARN' | 'ERROR' | 'METRICS';

/** States of an update. */
export type UpdateState =
  | 'QUEUED'
  | 'CREATED'
  | 'INITIALIZING'
  | 'SETTING_UP_TABLES'
  | 'RUNNING'
  | 'STOPPING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELED';

export interface EventOrigin {
  readonly pipeline_id: string;
  readonly pipeline_name: string;
  readonly update_id: string;
  readonly flow_name?: string;
  readonly dataset_name?: string;
}

/** Number of rows of a flow that met and violated an expectation. */
export interface ExpectationCount {
  readonly name: string;
  readonly dataset: string;
  readonly passed_records: number;
  readonly failed_records: number;
}

export interface FlowProgressDetails {
  readonly status: 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly metrics?: { readonly num_output_rows: number };
  readonly data_quality?: {
    readonly dropped_records: number;
    readonly expectations: readonly ExpectationCount[];
  };
}

export interface EventDetails {
  readonly update_progress?: { readonly state: UpdateState };
  readonly flow_progress?: FlowProgressDetails;
}

/** Event without id and time. */
export interface EventDraft {
  readonly level: EventLevel;
  readonly event_type: 'create_update' | 'update_progress' | 'flow_progress' | 'input_changed';
  readonly message: string;
  readonly flow?: string;
  readonly dataset?: string;
  readonly details?: EventDetails;
  readonly error?: string;
}

export interface PipelineEvent {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly level: EventLevel;
  readonly event_type: EventDraft['event_type'];
  readonly message: string;
  readonly maturity_level: 'STABLE';
  readonly origin: EventOrigin;
  readonly details?: EventDetails;
  readonly error?: { readonly fatal: true; readonly exceptions: readonly { readonly message: string }[] };
}

/**
 * Creates an event.
 * @param number number of the event in its update, from 0; ids sort by it
 * @param now epoch ms
 */
export function createPipelineEvent(
  origin: EventOrigin,
  { flow, dataset, details, error, ...draft }: EventDraft,
  number: number,
  now: number,
): PipelineEvent {
  return {
    id: `${origin.update_id}-${String(number).padStart(6, '0')}`,
    timestamp: toIsoTime(now),
    ...draft,
    maturity_level: 'STABLE',
    origin: {
      ...origin,
      ...(flow !== undefined && { flow_name: flow }),
      ...(dataset !== undefined && { dataset_name: dataset }),
    },
    ...(details !== undefined && { details }),
    ...(error !== undefined && { error: { fatal: true as const, exceptions: [{ message: error }] } }),
  };
}
