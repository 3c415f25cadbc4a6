/** Content of e-mails, webhooks and chat messages for every event. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ClaimedDelivery, SubjectDetails } from '../../../engine/notification/delivery.ts';
import type { DestinationKind, DestinationTarget } from '../../../engine/notification/destination.ts';
import type { NotificationEvent, RunStateSnapshot } from '../../../engine/run/notification.ts';
import { renderMessage } from '../../../notifications/render-message.ts';
import { formatDuration } from '../../../notifications/notification-content.ts';

const ports = {
  site: { publicUrl: () => 'https://jobs.example.org', workspaceId: '17' },
  logTail: async (runId: number) => `Reading part ${runId}\nValueError: <no rows>`,
};
const start = 1_772_409_600_000;
const failed: RunStateSnapshot = {
  state: 'TERMINATED',
  result: 'FAILED',
  message: 'Task load failed with message: Workload failed, see run output for details.',
  startTime: start,
  endTime: start + 3_723_000,
};
const facts: SubjectDetails = {
  jobName: 'nightly & <load>',
  parentRunId: undefined,
  startTime: start,
  failedTasks: [
    { taskKey: 'load', runId: 908, state: 'FAILED', message: 'Workload failed, see run output for details' },
    { taskKey: 'report', runId: 909, state: 'SKIPPED', message: 'Upstream task load failed' },
  ],
};

const targets: Readonly<Record<DestinationKind, DestinationTarget>> = {
  EMAIL: { kind: 'EMAIL', addresses: ['a@x'] },
  WEBHOOK: { kind: 'WEBHOOK', url: 'https://x' },
  SLACK: { kind: 'SLACK', url: 'https://x' },
  MICROSOFT_TEAMS: { kind: 'MICROSOFT_TEAMS', url: 'https://x' },
};

function delivery(
  event: NotificationEvent,
  changes: Partial<ClaimedDelivery> = {},
  kind?: DestinationKind,
): ClaimedDelivery {
  const destination = kind && {
    destinationId: 'x',
    number: 1,
    displayName: 'x',
    target: targets[kind],
    secrets: undefined,
  };
  return {
    deliveryId: 'd',
    event,
    jobId: 41,
    runId: 907,
    taskKey: undefined,
    createdTime: start + 3_723_000,
    facts: event === 'on_failure' ? { state: failed } : {},
    to: destination === undefined ? { address: 'ops@example.org' } : { destinationId: 'x', destination },
    message: undefined,
    attempts: 0,
    roundAttempts: 0,
    roundStartTime: undefined,
    ...changes,
  };
}

async function mail(
  event: NotificationEvent,
  changes: Partial<ClaimedDelivery> = {},
  about: SubjectDetails | undefined = facts,
) {
  const message = await renderMessage(delivery(event, changes), about, ports);
  if (message.kind !== 'mail') throw new Error('no mail');
  return message;
}

async function body(
  event: NotificationEvent,
  kind: DestinationKind,
  changes: Partial<ClaimedDelivery> = {},
  about: SubjectDetails | undefined = facts,
) {
  const message = await renderMessage(delivery(event, changes, kind), about, ports);
  if (message.kind === 'mail') throw new Error('a mail');
  return JSON.parse(message.body);
}

test('spec 6: an e-mail of a failure holds job, run, state, message, times and the log of each failed task', async () => {
  const { subject, text, html } = await mail('on_failure');
  // For a visual check: set RUNYARD_MAIL_SAMPLES to a directory.
  const samples = process.env['RUNYARD_MAIL_SAMPLES'];
  if (samples !== undefined) {
    mkdirSync(samples, { recursive: true });
    writeFileSync(`${samples}/failure.html`, html);
    writeFileSync(`${samples}/failure.txt`, text);
  }
  expect(subject).toBe('[Runyard] Run of nightly & <load> failed (run 907)');
  expect(text).toBe(
    [
      'Run of nightly & <load> failed (run 907)',
      '',
      'Job:      nightly & <load> (41)',
      'Run:      907',
      'State:    TERMINATED, FAILED',
      'Message:  Task load failed with message: Workload failed, see run output for details.',
      'Started:  2026-03-02 00:00:00 UTC',
      'Duration: 1 h 2 min 3 s',
      '',
      'Open the run: https://jobs.example.org/?o=17#job/41/run/907',
      '',
      '--- Task load (run 908): FAILED',
      'Workload failed, see run output for details',
      '',
      'Last lines of its log:',
      '  Reading part 908',
      '  ValueError: <no rows>',
      '',
      '--- Task report (run 909): SKIPPED',
      'Upstream task load failed',
      '',
      '-- ',
      'You receive this message because the job lists this recipient under on_failure.',
      '',
    ].join('\n'),
  );
  expect(html).toContain('nightly &amp; &lt;load&gt;');
  expect(html).toContain('ValueError: &lt;no rows&gt;');
  expect(html).toContain('href="https://jobs.example.org/?o=17#job/41/run/907"');
  expect(html).not.toMatch(/<script|<no rows>|http:\/\//);
});

const withState = (changes: Partial<RunStateSnapshot>): Partial<ClaimedDelivery> => ({
  facts: { state: { ...failed, ...changes } },
});

test.each<[NotificationEvent, Partial<ClaimedDelivery>, string]>([
  ['on_start', {}, 'Run of nightly & <load> started (run 907)'],
  ['on_success', withState({ result: 'SUCCESS' }), 'Run of nightly & <load> succeeded (run 907)'],
  ['on_failure', withState({}), 'Run of nightly & <load> failed (run 907)'],
  ['on_failure', withState({ result: 'TIMEDOUT' }), 'Run of nightly & <load> timed out (run 907)'],
  ['on_failure', withState({ result: 'CANCELED' }), 'Run of nightly & <load> was cancelled (run 907)'],
  [
    'on_failure',
    withState({ state: 'SKIPPED', result: undefined }),
    'Run of nightly & <load> was skipped (run 907)',
  ],
  [
    'on_failure',
    withState({ state: 'INTERNAL_ERROR', result: 'FAILED' }),
    'Run of nightly & <load> ended with an internal error (run 907)',
  ],
  [
    'on_failure',
    { ...withState({}), taskKey: 'load', runId: 908 },
    'Task load of nightly & <load> failed (run 908)',
  ],
  [
    'on_duration_warning_threshold_exceeded',
    {},
    'Run of nightly & <load> takes longer than expected (run 907)',
  ],
  ['job_deleted', { runId: undefined }, 'Job nightly & <load> was deleted'],
  ['test', { jobId: undefined, runId: undefined }, 'This destination works'],
])('%s %j: %s', async (event, changes, headline) => {
  const { subject, text } = await mail(event, changes);
  expect(subject).toBe(`[Runyard] ${headline}`);
  expect(text.startsWith(`${headline}\n`)).toBe(true);
});

test('a duration warning says how long the run has taken so far', async () => {
  expect((await mail('on_duration_warning_threshold_exceeded')).text).toContain(
    'State:    RUNNING\nStarted:  2026-03-02 00:00:00 UTC\nDuration: 1 h 2 min 3 s so far\n',
  );
});

test('a message about a removed run and job shows the ids that are known', async () => {
  const message = await renderMessage(delivery('on_failure'), undefined, ports);
  expect(message).toMatchObject({
    subject: '[Runyard] Run of job 41 failed (run 907)',
    text: expect.stringMatching(/^Job: +41$/m),
  });
});

describe('webhooks', () => {
  test.each<[NotificationEvent, string]>([
    ['on_start', 'jobs.on_start'],
    ['on_success', 'jobs.on_success'],
    ['on_failure', 'jobs.on_failure'],
    ['on_duration_warning_threshold_exceeded', 'jobs.on_duration_warning_threshold_exceeded'],
  ])('%s is %s, with ids as numbers', async (event, type) => {
    expect(await body(event, 'WEBHOOK')).toEqual({
      event_type: type,
      workspace_id: 17,
      run: { run_id: 907 },
      job: { job_id: 41, name: 'nightly & <load>' },
    });
  });

  test('a task run names its task and its run', async () => {
    expect(
      await body('on_failure', 'WEBHOOK', { taskKey: 'load', runId: 908 }, { ...facts, parentRunId: 907 }),
    ).toEqual({
      event_type: 'jobs.on_failure',
      workspace_id: 17,
      run: { run_id: 908, parent_run_id: 907 },
      task: { task_key: 'load' },
      job: { job_id: 41, name: 'nightly & <load>' },
    });
  });

  test('a test message has neither run nor job', async () => {
    expect(await body('test', 'WEBHOOK', { jobId: undefined, runId: undefined }, undefined)).toEqual({
      event_type: 'destinations.test',
      workspace_id: 17,
    });
  });

  test('Slack gets blocks with escaped &, < and >, and a link', async () => {
    const { text, blocks } = await body('on_failure', 'SLACK');
    expect(text).toBe('Run of nightly &amp; &lt;load&gt; failed (run 907)');
    expect(blocks[0].text.text).toBe(
      ':x: *<https://jobs.example.org/?o=17#job/41/run/907|Run of nightly &amp; &lt;load&gt; failed (run 907)>*',
    );
    expect(blocks[1].text).toMatchObject({
      type: 'mrkdwn',
      text: expect.stringContaining('*State:* TERMINATED, FAILED\n'),
    });
  });

  test('Teams gets an adaptive card with Markdown in names escaped', async () => {
    const message = await body(
      'on_failure',
      'MICROSOFT_TEAMS',
      {},
      { ...facts, jobName: '[x](http://evil)' },
    );
    const [{ contentType, content }] = message.attachments;
    expect([message.type, contentType, content.type]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
      'AdaptiveCard',
    ]);
    expect(content.body[0]).toMatchObject({
      text: 'Run of \\[x\\](http://evil) failed (run 907)',
      color: 'Attention',
    });
    expect(content.body[1].facts).toContainEqual({ title: 'Duration', value: '1 h 2 min 3 s' });
    expect(content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open the run', url: 'https://jobs.example.org/?o=17#job/41/run/907' },
    ]);
  });

  test('a very long message is truncated to the limits of chats', async () => {
    const long = withState({ message: 'x'.repeat(100_000) });
    expect((await body('on_failure', 'SLACK', long)).blocks[1].text.text.length).toBeLessThanOrEqual(3_000);
    expect(JSON.stringify(await body('on_failure', 'MICROSOFT_TEAMS', long)).length).toBeLessThan(5_000);
  });
});

test.each([
  [0, '0 s'],
  [240, '0.2 s'],
  [59_940, '59.9 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [90_061_000, '25 h 1 min 1 s'],
])('%d ms is %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});
