/** Invariants of notifications: each expected one is stored exactly once, with one delivery, and no other. */
import type { JobSettings, TaskSettings } from '../../../engine/job/settings.ts';
import type { SubscribableEvent } from '../../../engine/job/notification-settings.ts';
import type { RunRow, TaskRunRow } from '../../../storage/postgres/runs/run-rows.ts';
import {
  groupBy,
  wasNeverAdmitted,
  roundIndexOf,
  roundsOf,
  taskSettingsOf,
  type Evidence,
  type Invariant,
} from '../evidence.ts';

type AlertSettingsSource = Pick<JobSettings | TaskSettings, 'email_notifications' | 'health'>;

/** Minimum and maximum number of stored notifications. */
interface CountRange {
  readonly minimum: number;
  readonly maximum: number;
}

interface ExpectedNotification extends CountRange {
  readonly event: SubscribableEvent;
  readonly settings: AlertSettingsSource;
  readonly runId: number;
  readonly taskKey: string | null;
}

export const notificationsAreStoredOnce: Invariant = (evidence, check) => {
  const expected = new Map<string, CountRange>();
  for (const { event, settings, runId, taskKey, minimum, maximum } of expectedNotifications(evidence)) {
    for (const recipient of settings.email_notifications?.[event] ?? []) {
      const key = notificationKeyOf(event, recipient, runId, taskKey);
      const before = expected.get(key) ?? { minimum: 0, maximum: 0 };
      expected.set(key, { minimum: before.minimum + minimum, maximum: before.maximum + maximum });
    }
  }
  const stored = groupBy(evidence.outboxEvents, (event) =>
    notificationKeyOf(event.event, event.recipient, event.run_id ?? 0, event.task_key),
  );
  for (const key of new Set([...expected.keys(), ...stored.keys()])) {
    const { minimum, maximum } = expected.get(key) ?? { minimum: 0, maximum: 0 };
    const times = stored.get(key)?.length ?? 0;
    check(
      times >= minimum && times <= maximum,
      Number(key.split(' ')[2]),
      () =>
        `The notification "${key}" is stored ${times} times instead of ${minimum}${maximum === minimum ? '' : ` to ${maximum}`}.`,
    );
  }
};

/** Every dispatched outbox event has exactly one delivery. */
export const notificationsHaveOneDelivery: Invariant = ({ outboxEvents, deliveries }, check) => {
  const deliveriesOf = groupBy(deliveries, (delivery) => delivery.outbox_event_id);
  for (const event of outboxEvents.filter(({ dispatched_time: dispatched }) => dispatched !== null)) {
    const times = deliveriesOf.get(event.outbox_event_id)?.length ?? 0;
    check(
      times === 1,
      event.run_id ?? undefined,
      () => `Outbox event ${event.outbox_event_id} of run ${event.run_id} has ${times} deliveries.`,
    );
  }
};

function notificationKeyOf(event: string, recipient: string, runId: number, taskKey: string | null): string {
  return `${event} ${recipient} ${runId} ${taskKey ?? ''}`.trim();
}

function expectedNotifications(evidence: Evidence): ExpectedNotification[] {
  const attemptsOf = groupBy(evidence.attempts, (attempt) => attempt.job_run_id);
  return evidence.runs.flatMap((run) => {
    const attempts = attemptsOf.get(run.run_id) ?? [];
    const ofTasks =
      run.format === 'SINGLE_TASK' || wasNeverAdmitted(run)
        ? []
        : attempts.flatMap((attempt) => expectedForAttempt(run, attempt));
    return [...expectedForRun(run, attempts, evidence), ...ofTasks];
  });
}

/** Returns one start notification per run, and one end notification and the warnings per round. */
function expectedForRun(
  run: RunRow,
  attempts: readonly TaskRunRow[],
  evidence: Evidence,
): ExpectedNotification[] {
  const subject = { settings: run.settings, runId: run.run_id, taskKey: null };
  const started = attempts.some(
    (attempt) => attempt.running_time !== null && roundIndexOf(attempt, evidence) === 0,
  );
  const rounds = roundsOf(run, evidence).flatMap((round): ExpectedNotification[] => [
    ...endEventsOf(round.state, round.result).map((event): ExpectedNotification => ({
      ...subject,
      event,
      minimum: 1,
      maximum: 1,
    })),
    {
      ...subject,
      event: 'on_duration_warning_threshold_exceeded',
      ...expectedWarnings(run.settings, round.start, round.end, wasNeverAdmitted(run)),
    },
  ]);
  return [
    ...(started ? [{ ...subject, event: 'on_start' as const, minimum: 1, maximum: 1 }] : []),
    ...rounds,
  ];
}

function expectedForAttempt(run: RunRow, attempt: TaskRunRow): ExpectedNotification[] {
  const subject = {
    settings: taskSettingsOf(run, attempt),
    runId: attempt.run_id,
    taskKey: attempt.task_key,
  };
  return [
    ...(attempt.running_time === null
      ? []
      : [{ ...subject, event: 'on_start' as const, minimum: 1, maximum: 1 }]),
    ...(isExcluded(attempt) ? [] : endEventsOf(attempt.state, attempt.result)).map(
      (event): ExpectedNotification => ({ ...subject, event, minimum: 1, maximum: 1 }),
    ),
    {
      ...subject,
      event: 'on_duration_warning_threshold_exceeded',
      ...expectedWarnings(
        subject.settings,
        attempt.start_time ?? undefined,
        attempt.end_time ?? undefined,
        attempt.state === 'SKIPPED',
      ),
    },
  ];
}

/** Returns true for a task whose branch was not chosen, or that a cancel prevented: nothing announces it. */
function isExcluded({ state, message }: TaskRunRow): boolean {
  return state === 'SKIPPED' && /^(?:Not run, as configured|Run cancelled by)/.test(message);
}

function endEventsOf(state: RunRow['state'], result: RunRow['result']): SubscribableEvent[] {
  if (!['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'].includes(state)) return [];
  return [state === 'TERMINATED' && result === 'SUCCESS' ? 'on_success' : 'on_failure'];
}

/**
 * Returns how many duration warnings a round or an attempt may have. A warning that races with the end may be
 * stored although the end time is before the threshold.
 */
function expectedWarnings(
  { health }: AlertSettingsSource,
  start: number | undefined,
  end: number | undefined,
  neverStarted: boolean,
): CountRange {
  const [rule] = health?.rules ?? [];
  if (rule === undefined || start === undefined) return { minimum: 0, maximum: 0 };
  return {
    minimum: !neverStarted && end !== undefined && end - start > rule.value * 1_000 ? 1 : 0,
    maximum: 1,
  };
}
