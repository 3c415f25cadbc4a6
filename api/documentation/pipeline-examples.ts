/** Examples of operations on pipelines. */
import type { Example } from './example.ts';

const pipelineId = '7c9d2c55-0b5e-4f0e-9a55-1f2e3d4c5b6a';
const updateId = '0f9b8a7c-6d5e-4c3b-8a29-180706f5e4d3';

const spec = {
  name: 'sales',
  libraries: [{ glob: { include: '/team/sales/transformations/**' } }],
  configuration: { region: 'north' },
  storage: 'managed_fs:/pipelines/sales',
};

const status = {
  pipeline_id: pipelineId,
  name: 'sales',
  state: 'IDLE',
  health: 'HEALTHY',
  creator_user_name: 'ada@example.org',
  run_as_user_name: 'ada@example.org',
  latest_updates: [{ update_id: updateId, state: 'COMPLETED', creation_time: '2026-03-02T00:00:00.000Z' }],
};

const update = {
  pipeline_id: pipelineId,
  update_id: updateId,
  state: 'COMPLETED',
  cause: 'API_CALL',
  creation_time: 1_772_409_600_000,
  full_refresh: false,
  full_refresh_selection: [],
  refresh_selection: ['daily'],
  validate_only: false,
  job_id: 12,
  run_id: 455,
  task_run_id: 455,
  message: '',
};

const event = {
  id: `${updateId}-000005`,
  timestamp: '2026-03-02T00:00:01.200Z',
  level: 'INFO',
  event_type: 'flow_progress',
  message: 'Flow daily is complete: 31 rows were written, 2 were dropped by expectations.',
  maturity_level: 'STABLE',
  origin: {
    pipeline_id: pipelineId,
    pipeline_name: 'sales',
    update_id: updateId,
    flow_name: 'daily',
    dataset_name: 'daily',
  },
  details: {
    flow_progress: {
      status: 'COMPLETED',
      metrics: { num_output_rows: 31 },
      data_quality: {
        dropped_records: 2,
        expectations: [{ name: 'has_amount', dataset: 'daily', passed_records: 31, failed_records: 2 }],
      },
    },
  },
};

export const pipelineExamples: Readonly<Record<string, Example>> = {
  'POST /pipelines': {
    request: { ...spec, dry_run: false, allow_duplicate_names: false },
    answer: { pipeline_id: pipelineId },
  },
  'GET /pipelines': {
    request: { max_results: 25, filter: "name LIKE 's%'" },
    answer: { statuses: [status] },
  },
  'GET /pipelines/:pipeline_id': {
    request: { pipeline_id: 'sales' },
    answer: { ...status, last_modified: 1_772_409_600_000, spec },
  },
  'PUT /pipelines/:pipeline_id': { request: { pipeline_id: pipelineId, ...spec }, answer: {} },
  'DELETE /pipelines/:pipeline_id': { request: { pipeline_id: pipelineId }, answer: {} },
  'POST /pipelines/:pipeline_id/updates': {
    request: { pipeline_id: 'sales', refresh_selection: ['daily'], validate_only: false },
    answer: { update_id: updateId },
  },
  'GET /pipelines/:pipeline_id/updates': {
    request: { pipeline_id: 'sales', max_results: 25 },
    answer: { updates: [update] },
  },
  'GET /pipelines/:pipeline_id/updates/:update_id': {
    request: { pipeline_id: 'sales', update_id: updateId },
    answer: { update },
  },
  'POST /pipelines/:pipeline_id/stop': { request: { pipeline_id: 'sales' }, answer: {} },
  'GET /pipelines/:pipeline_id/events': {
    request: { pipeline_id: 'sales', max_results: 100, filter: "level = 'INFO'" },
    answer: { events: [event] },
  },
};
