/** Who is told of what: events x mute switches x channels (spec 2.9, section 6). */
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

/** Every list has one address and one destination, named after it. */
const everybody = {
  email_notifications: Object.fromEntries(subscribableEvents.map((list) => [list, [`${list}@mail`]])),
  webhook_notifications: Object.fromEntries(
    subscribableEvents.map((list) => [list, [{ id: `${list}@hook` }]]),
  ),
} satisfies RoutingSettings;

function told(notices: readonly RunNotification[]): string[] {
  return notices.map(({ channel, recipient }) => `${channel} ${recipient}`);
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
  mailSkipped: { email_notifications: { ...everybody.email_notifications, no_alert_for_skipped_runs: true } },
  skippedRuns: { notification_settings: { no_alert_for_skipped_runs: true } },
  canceledRuns: { notification_settings: { no_alert_for_canceled_runs: true } },
  bothRuns: { notification_settings: { no_alert_for_skipped_runs: true, no_alert_for_canceled_runs: true } },
  allOff: {
    email_notifications: { ...everybody.email_notifications, no_alert_for_skipped_runs: false },
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

describe('spec 2.9: the end', () => {
  test.each(cases)('%s, with the switches %s: %j', (end, muted, expected) => {
    expect(told(notificationsForEnd({ ...everybody, ...switches[muted] }, ends[end], subject))).toEqual(
      expected,
    );
  });
});

/** Which attempts are told of: [is a retry, another follows] x alert_on_last_attempt. */
const places: readonly (readonly [
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
  test.each(places)(
    'retry %s, another follows %s, alert_on_last_attempt %s: start %j, failure %j',
    (isRetry, isRetried, lastOnly, begun, ended) => {
      const holder = { ...everybody, notification_settings: { alert_on_last_attempt: lastOnly } };
      const about = { ...subject, isRetry, isRetried };
      expect(told(notificationsForStart(holder, about))).toEqual(begun);
      for (const end of failures)
        expect(told(notificationsForEnd(holder, ends[end], about)), end).toEqual(ended);
      // A success ends all retries.
      expect(told(notificationsForEnd(holder, succeeded, { ...subject, isRetry, isRetried: false }))).toEqual(
        success,
      );
    },
  );

  test('the mute switches hold for the last attempt as for every other', () => {
    const holder = {
      ...everybody,
      notification_settings: {
        alert_on_last_attempt: true,
        no_alert_for_canceled_runs: true,
        no_alert_for_skipped_runs: true,
      },
    };
    const about = { ...subject, isRetry: true, isRetried: false };
    expect(told(notificationsForEnd(holder, canceled, about))).toEqual([]);
    expect(told(notificationsForEnd(holder, skipped, about))).toEqual([]);
  });
});

test('spec 2.9: a run that lasts too long is told to its own lists, whatever is muted', () => {
  for (const muted of Object.values(switches)) {
    expect(told(notificationsForDuration({ ...everybody, ...muted }, subject))).toEqual([
      'email on_duration_warning_threshold_exceeded@mail',
      'webhook on_duration_warning_threshold_exceeded@hook',
    ]);
  }
});

test('who is named twice in one list is told once', () => {
  expect(
    told(
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

test('the end carries where the run stood, because it may be opened again before the mail is made', () => {
  expect(notificationsForEnd(everybody, failed, subject)[0]?.facts).toMatchObject({
    standing: { state: 'TERMINATED', result: 'FAILED' },
  });
});

test.each(Object.keys(switches) as Switch[])('spec 2.9: the start is told whatever is muted: %s', (muted) => {
  expect(told(notificationsForStart({ ...everybody, ...switches[muted] }, subject))).toEqual(start);
});

test.each<[string, RoutingSettings, string[]]>([
  ['no settings', {}, []],
  ['empty lists', { email_notifications: { on_failure: [] }, webhook_notifications: { on_failure: [] } }, []],
  ['e-mail alone', { email_notifications: { on_failure: ['a@x', 'b@x'] } }, ['email a@x', 'email b@x']],
  [
    'webhooks alone',
    { webhook_notifications: { on_failure: [{ id: '1' }, { id: '2' }] } },
    ['webhook 1', 'webhook 2'],
  ],
  ['other lists only', { email_notifications: { on_start: ['a@x'], on_success: ['b@x'] } }, []],
])('%s', (_name, holder, expected) => {
  expect(told(notificationsForEnd(holder, failed, subject))).toEqual(expected);
});

test('a notice says what it is about', () => {
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

describe('spec 4.1.1: a deleted job', () => {
  test('tells every address once, by e-mail only', () => {
    const holder = {
      email_notifications: {
        on_start: ['a@x', 'b@x'],
        on_success: ['b@x'],
        on_failure: ['c@x', 'a@x'],
        on_duration_warning_threshold_exceeded: ['d@x'],
      },
      webhook_notifications: everybody.webhook_notifications,
    };
    const notices = notificationsForDeletion(holder, 3, 1_000);
    expect(told(notices)).toEqual(['email a@x', 'email b@x', 'email c@x', 'email d@x']);
    expect(new Set(notices.map(({ event, jobId, runId }) => `${event} ${jobId} ${runId}`))).toEqual(
      new Set(['job_deleted 3 undefined']),
    );
  });

  test('without addresses tells nobody', () => {
    expect(notificationsForDeletion({}, 3, 1_000)).toEqual([]);
  });
});
