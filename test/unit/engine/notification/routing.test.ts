/** Routing of notifications: events x mute switches x channels (spec 2.9, 6). */
import { describe, expect, test } from 'vitest';
import { subscribableEvents } from '../../../../engine/job/notification-settings.ts';
import {
  notificationsForDeletion,
  notificationsForDuration,
  notificationsForEnd,
  notificationsForStart,
  type RoutingSettings,
} from '../../../../engine/notification/routing.ts';
import type { RunNotification } from '../../../../engine/run/notification.ts';
import type { Progress } from '../../../../engine/run/run.ts';
import { progressByPhase } from '../run/task-states.ts';

const subject = { jobId: 3, runId: 10, now: 1_000 };

/** Settings in which every list has one address and one destination, named after the list. */
const allLists = {
  email_notifications: Object.fromEntries(subscribableEvents.map((list) => [list, [`${list}@mail`]])),
  webhook_notifications: Object.fromEntries(
    subscribableEvents.map((list) => [list, [{ id: `${list}@hook` }]]),
  ),
} satisfies RoutingSettings;

function recipientsOf(notifications: readonly RunNotification[]): string[] {
  return notifications.map(({ channel, recipient }) => `${channel} ${recipient}`);
}

const start = ['email on_start@mail', 'webhook on_start@hook'];
const success = ['email on_success@mail', 'webhook on_success@hook'];
const failure = ['email on_failure@mail', 'webhook on_failure@hook'];
const hookOnly = ['webhook on_failure@hook'];

const { success: succeeded, failed, timedout, canceled, skipped, error } = progressByPhase;
const errorBeforeStart: Progress = { ...error, state: 'INTERNAL_ERROR', result: undefined, endTime: 4 };
const errorAfterSuccess: Progress = { ...error, state: 'INTERNAL_ERROR', result: 'SUCCESS', endTime: 4 };
const ends = { succeeded, failed, timedout, canceled, skipped, error, errorBeforeStart, errorAfterSuccess };
type End = keyof typeof ends;

/** Mute switches by name: of the e-mail settings, and of the notification settings. */
const switches = {
  none: {},
  mailSkipped: { email_notifications: { ...allLists.email_notifications, no_alert_for_skipped_runs: true } },
  skippedRuns: { notification_settings: { no_alert_for_skipped_runs: true } },
  canceledRuns: { notification_settings: { no_alert_for_canceled_runs: true } },
  bothRuns: { notification_settings: { no_alert_for_skipped_runs: true, no_alert_for_canceled_runs: true } },
  allOff: {
    email_notifications: { ...allLists.email_notifications, no_alert_for_skipped_runs: false },
    notification_settings: { no_alert_for_skipped_runs: false, no_alert_for_canceled_runs: false },
  },
} satisfies Record<string, RoutingSettings>;
type Switch = keyof typeof switches;

const table: Readonly<Record<End, Readonly<Record<Switch, string[]>>>> = {
  succeeded: {
    none: success,
    mailSkipped: success,
    skippedRuns: success,
    canceledRuns: success,
    bothRuns: success,
    allOff: success,
  },
  failed: {
    none: failure,
    mailSkipped: failure,
    skippedRuns: failure,
    canceledRuns: failure,
    bothRuns: failure,
    allOff: failure,
  },
  timedout: {
    none: failure,
    mailSkipped: failure,
    skippedRuns: failure,
    canceledRuns: failure,
    bothRuns: failure,
    allOff: failure,
  },
  canceled: {
    none: failure,
    mailSkipped: failure,
    skippedRuns: failure,
    canceledRuns: [],
    bothRuns: [],
    allOff: failure,
  },
  skipped: {
    none: failure,
    mailSkipped: hookOnly,
    skippedRuns: [],
    canceledRuns: failure,
    bothRuns: [],
    allOff: failure,
  },
  error: {
    none: failure,
    mailSkipped: failure,
    skippedRuns: failure,
    canceledRuns: failure,
    bothRuns: failure,
    allOff: failure,
  },
  errorBeforeStart: {
    none: failure,
    mailSkipped: failure,
    skippedRuns: failure,
    canceledRuns: failure,
    bothRuns: failure,
    allOff: failure,
  },
  errorAfterSuccess: {
    none: failure,
    mailSkipped: failure,
    skippedRuns: failure,
    canceledRuns: failure,
    bothRuns: failure,
    allOff: failure,
  },
};

const cases = Object.entries(table).flatMap(([end, row]) =>
  Object.entries(row).map(([muted, expected]) => [end, muted, expected] as [End, Switch, string[]]),
);

describe('spec 2.9: notifications of the end', () => {
  test.each(cases)('%s, with the switches %s: %j', (end, muted, expected) => {
    expect(
      recipientsOf(notificationsForEnd({ ...allLists, ...switches[muted] }, ends[end], subject)),
    ).toEqual(expected);
  });
});

/** Notified attempts: [is a retry, another follows] x alert_on_last_attempt. */
const retryCases: readonly (readonly [
  isRetry: boolean,
  isRetried: boolean,
  lastOnly: boolean,
  start: string[],
  end: string[],
])[] = [
  [false, false, false, start, failure],
  [false, true, false, start, failure],
  [true, true, false, start, failure],
  [true, false, false, start, failure],
  [false, false, true, start, failure],
  [false, true, true, start, []],
  [true, true, true, [], []],
  [true, false, true, [], failure],
];
const failures = ['failed', 'timedout', 'error', 'errorBeforeStart', 'errorAfterSuccess'] as const;

describe('spec 2.9: retries', () => {
  test.each(retryCases)(
    'retry %s, another follows %s, alert_on_last_attempt %s: start %j, failure %j',
    (isRetry, isRetried, lastOnly, begun, ended) => {
      const holder = { ...allLists, notification_settings: { alert_on_last_attempt: lastOnly } };
      const about = { ...subject, isRetry, isRetried };
      expect(recipientsOf(notificationsForStart(holder, about))).toEqual(begun);
      for (const end of failures)
        expect(recipientsOf(notificationsForEnd(holder, ends[end], about)), end).toEqual(ended);
      // A success ends all retries.
      expect(
        recipientsOf(notificationsForEnd(holder, succeeded, { ...subject, isRetry, isRetried: false })),
      ).toEqual(success);
    },
  );

  test('the mute switches apply to the last attempt too', () => {
    const holder = {
      ...allLists,
      notification_settings: {
        alert_on_last_attempt: true,
        no_alert_for_canceled_runs: true,
        no_alert_for_skipped_runs: true,
      },
    };
    const about = { ...subject, isRetry: true, isRetried: false };
    expect(recipientsOf(notificationsForEnd(holder, canceled, about))).toEqual([]);
    expect(recipientsOf(notificationsForEnd(holder, skipped, about))).toEqual([]);
  });
});

test('spec 2.9: a duration warning goes to its own lists, regardless of the mute switches', () => {
  for (const muted of Object.values(switches)) {
    expect(recipientsOf(notificationsForDuration({ ...allLists, ...muted }, subject))).toEqual([
      'email on_duration_warning_threshold_exceeded@mail',
      'webhook on_duration_warning_threshold_exceeded@hook',
    ]);
  }
});

test('a recipient listed twice is notified once', () => {
  expect(
    recipientsOf(
      notificationsForStart(
        {
          email_notifications: { on_start: ['a@x', 'a@x'] },
          webhook_notifications: { on_start: [{ id: '1' }, { id: '1' }] },
        },
        subject,
      ),
    ),
  ).toEqual(['email a@x', 'webhook 1']);
});

test('the notification of the end carries a snapshot of the state, because a repair may reopen the run', () => {
  expect(notificationsForEnd(allLists, failed, subject)[0]?.facts).toMatchObject({
    state: { state: 'TERMINATED', result: 'FAILED' },
  });
});

test.each(Object.keys(switches) as Switch[])(
  'spec 2.9: the start is notified with the switches %s',
  (muted) => {
    expect(recipientsOf(notificationsForStart({ ...allLists, ...switches[muted] }, subject))).toEqual(start);
  },
);

test.each<[string, RoutingSettings, string[]]>([
  ['no settings notify no recipient', {}, []],
  [
    'empty lists notify no recipient',
    { email_notifications: { on_failure: [] }, webhook_notifications: { on_failure: [] } },
    [],
  ],
  [
    'e-mail settings notify their addresses',
    { email_notifications: { on_failure: ['a@x', 'b@x'] } },
    ['email a@x', 'email b@x'],
  ],
  [
    'webhook settings notify their destinations',
    { webhook_notifications: { on_failure: [{ id: '1' }, { id: '2' }] } },
    ['webhook 1', 'webhook 2'],
  ],
  [
    'lists of other events notify no recipient',
    { email_notifications: { on_start: ['a@x'], on_success: ['b@x'] } },
    [],
  ],
])('%s', (_name, holder, expected) => {
  expect(recipientsOf(notificationsForEnd(holder, failed, subject))).toEqual(expected);
});

test('a notification names its job, run and task', () => {
  expect(notificationsForStart({ email_notifications: { on_start: ['a@x'] } }, subject)).toEqual([
    {
      event: 'on_start',
      channel: 'email',
      recipient: 'a@x',
      jobId: 3,
      runId: 10,
      taskKey: undefined,
      createdTime: 1_000,
    },
  ]);
  expect(
    notificationsForStart(
      { webhook_notifications: { on_start: [{ id: '1' }] } },
      { ...subject, taskKey: 'etl' },
    ),
  ).toEqual([
    {
      event: 'on_start',
      channel: 'webhook',
      recipient: '1',
      jobId: 3,
      runId: 10,
      taskKey: 'etl',
      createdTime: 1_000,
    },
  ]);
});

describe('spec 4.1.1: the deletion of a job', () => {
  test('notifies every address once, by e-mail only', () => {
    const holder = {
      email_notifications: {
        on_start: ['a@x', 'b@x'],
        on_success: ['b@x'],
        on_failure: ['c@x', 'a@x'],
        on_duration_warning_threshold_exceeded: ['d@x'],
      },
      webhook_notifications: allLists.webhook_notifications,
    };
    const notifications = notificationsForDeletion(holder, 3, 1_000);
    expect(recipientsOf(notifications)).toEqual(['email a@x', 'email b@x', 'email c@x', 'email d@x']);
    expect(new Set(notifications.map(({ event, jobId, runId }) => `${event} ${jobId} ${runId}`))).toEqual(
      new Set(['job_deleted 3 undefined']),
    );
  });

  test('without addresses notifies no recipient', () => {
    expect(notificationsForDeletion({}, 3, 1_000)).toEqual([]);
  });
});
