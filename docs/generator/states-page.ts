/** `reference/states.md`: the transition table, and how runs end. */
import { transitions, type RunEvent } from '../../engine/run/transitions.ts';
import { code, renderTable } from './markdown.ts';

const eventDescriptions = {
  admit: 'A limit cleared; the run leaves the queue.',
  prepare: 'Preparation began: the engine asked for a cluster.',
  begin: 'The cluster is ready; the task executes.',
  finish: 'Execution ended; cleanup begins.',
  clean: 'Cleanup ended.',
  skip: 'The run will never start: a limit, the maximum wait in the queue, or an upstream task that did not succeed.',
  exclude:
    'The task will never start although nothing failed: its `run_if` chose another branch, or the run was cancelled. It sends no `on_failure`.',
  withdraw: 'The run was cancelled while it was queued.',
  break: 'The service failed the run.',
  repair: 'A repair opened the run again.',
  'queue repair': 'A repair opened the run again; it waits in the queue.',
} satisfies Readonly<Record<RunEvent, string>>;

const ends: readonly (readonly [string, string])[] = [
  ['TERMINATED / SUCCESS', 'Every leaf task (no other task depends on it) succeeded or was excluded.'],
  ['TERMINATED / FAILED', 'A task failed, including its last retry. `state_message` names the task.'],
  ['TERMINATED / CANCELED', 'The run was cancelled.'],
  ['TERMINATED / TIMEDOUT', 'The run exceeded `timeout_seconds`.'],
  [
    'SKIPPED',
    '`max_concurrent_runs` was reached and queueing is disabled, or the run exceeded the maximum time in the queue. A task is skipped when its `run_if` condition cannot be met any more.',
  ],
  [
    'INTERNAL_ERROR',
    'The service failed the run: the process disappeared without an exit status, for example because the machine restarted, or the cluster could not start or was lost.',
  ],
];

/** Renders the page. */
export function renderStatesPage(): string {
  return [
    '# States of a run',
    [
      'Runs and task runs share one life cycle. Each row is one allowed transition of `engine/run/transitions.ts`.',
      'A task run is never reopened: a repair creates a new task run. A task that waits for upstream tasks or for its',
      'cluster is PENDING, and `state_message` names what it waits for.',
    ].join('\n'),
    '## Transitions',
    renderTable(
      ['From', 'Event', 'To'],
      transitions.map(({ from, on, to }) => [from, on, to]),
    ),
    '## Events',
    renderTable(
      ['Event', 'Meaning'],
      Object.entries(eventDescriptions).map(([event, meaning]) => [code(event), meaning]),
    ),
    '## Final states',
    renderTable(['Ends as', 'When'], ends),
  ].join('\n\n');
}
