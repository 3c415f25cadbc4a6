/** Renders `reference/failures.md`: cause codes, and what the engine says about injected faults. */
import { causeCodes, causeCodeTable } from '../../engine/run/explain/explanation.ts';
import { faults } from '../../test/e2e/failures/faults.ts';
import { code, escapeCell, renderTable } from './markdown.ts';

/** Renders `reference/failures.md`. */
export function renderFailuresPage(): string {
  return [
    '# Failures',
    [
      'Every run and task that does not succeed has an explanation: what happened, where, and what to do. It is made once and',
      'stored with the run. `state_message`, `jobs/runs/get`, `jobs/runs/get-output`, mails, chat messages, webhooks, the',
      'console, the bundle and `runyard explain` show the same one.',
    ].join('\n'),
    renderTable(
      ['Field of `explanation`', 'Meaning'],
      [
        [code('cause_code'), 'Stable code of the cause, see below.'],
        [code('cause'), 'What happened.'],
        [code('place'), 'Task, attempt, file with line or cell, cluster and node.'],
        [code('next_step'), 'What to do.'],
        [code('evidence'), 'Frames of your code, last lines, exit status, limits, query, started run.'],
        [code('others'), 'How many other tasks failed or were skipped.'],
        [`${code('retries')}, ${code('attempts')}`, 'How often it was tried, and the cause of each attempt.'],
      ],
    ),
    '## Cause codes',
    [
      'The code also stands in `status.termination_details.cause_code`. `GET jobs/runs/list?cause_code=DEPENDENCY` lists the',
      'runs that failed for one cause, and the metric `runyard_run_failures_total{cause_code="..."}` counts them.',
    ].join('\n'),
    renderTable(
      ['Code', 'Meaning', 'Who can correct it'],
      causeCodes.map((name) => [code(name), causeCodeTable[name].meaning, causeCodeTable[name].owner]),
    ),
    '## Injected faults',
    [
      `The test suite injects these ${faults.length} faults into a service and checks that the message of the run, its output, the mail and`,
      'the chat message have the cause, the place and the next step; a browser reads the pages of representative ones. Faults',
      'that a machine does not permit (a file system of 1 MB, a control group with a limit of memory, Java) are skipped with',
      'their names. `<n>` stands for an id or a number.',
    ].join('\n'),
    renderTable(
      ['Fault', 'Code', 'Cause', 'Place', 'Next step'],
      faults.map(({ name, code: causeCode, cause, place, nextStep }) => [
        escapeCell(name),
        code(causeCode),
        escapeCell(cause),
        escapeCell(place),
        escapeCell(nextStep),
      ]),
    ),
  ].join('\n\n');
}
