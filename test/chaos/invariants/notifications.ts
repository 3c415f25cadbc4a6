/**
 * Each notice is stored exactly once: what people must be told follows from how runs and attempts went, and
 * nothing else is there.
 */
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

/** How often a notice must be there at least, and may be at most. */
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

export const notificationsAreStoredOnce: Invariant = (evidence, look) => {
  const expected = new Map<string, CountRange>();
  for (const { event, settings, runId, taskKey, minimum, maximum } of expectedNotifications(evidence)) {
    for (const recipient of settings.email_notifications?.[event] ?? []) {
      const key = notificationKeyOf(event, recipient, runId, taskKey);
      const before = expected.get(key) ?? { minimum: 0, maximum: 0 };
      expected.set(key, { minimum: before.minimum + minimum, maximum: before.maximum + maximum });
    }
  }
  const stored = groupBy(evidence.outboxEvents, (notice) =>
    notificationKeyOf(notice.event, notice.recipient, notice.run_id ?? 0, notice.task_key),
  );
  for (const key of new Set([...expected.keys(), ...stored.keys()])) {
    const { minimum, maximum } = expected.get(key) ?? { minimum: 0, maximum: 0 };
    const times = stored.get(key)?.length ?? 0;
    look(
      times >= minimum && times <= maximum,
      Number(key.split(' ')[2]),
      () =>
        `The notice "${key}" is stored ${times} times instead of ${minimum}${maximum === minimum ? '' : ` to ${maximum}`}.`,
    );
  }
};

/** What was taken out of the outbox goes to its recipient once, whatever engine took it. */
export const notificationsHaveOneDelivery: Invariant = ({ outboxEvents, deliveries }, look) => {
  const made = groupBy(deliveries, (delivery) => delivery.outbox_event_id);
  for (const notice of outboxEvents.filter(({ dispatched_time: taken }) => taken !== null)) {
    const times = made.get(notice.outbox_event_id)?.length ?? 0;
    look(
      times === 1,
      notice.run_id ?? undefined,
      () => `Notice ${notice.outbox_event_id} of run ${notice.run_id} has ${times} deliveries.`,
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

/** A run says that it begins once, whatever is repaired; each of its rounds says how it ended. */
function expectedForRun(
  run: RunRow,
  attempts: readonly TaskRunRow[],
  evidence: Evidence,
): ExpectedNotification[] {
  const about = { settings: run.settings, runId: run.run_id, taskKey: null };
  const began = attempts.some(
    (attempt) => attempt.running_time !== null && roundIndexOf(attempt, evidence) === 0,
  );
  const rounds = roundsOf(run, evidence).flatMap((round): ExpectedNotification[] => [
    ...endEventsOf(round.state, round.result).map((event): ExpectedNotification => ({
      ...about,
      event,
      minimum: 1,
      maximum: 1,
    })),
    {
      ...about,
      event: 'on_duration_warning_threshold_exceeded',
      ...expectedWarnings(run.settings, round.start, round.end, wasNeverAdmitted(run)),
    },
  ]);
  return [...(began ? [{ ...about, event: 'on_start' as const, minimum: 1, maximum: 1 }] : []), ...rounds];
}

function expectedForAttempt(run: RunRow, attempt: TaskRunRow): ExpectedNotification[] {
  const about = { settings: taskSettingsOf(run, attempt), runId: attempt.run_id, taskKey: attempt.task_key };
  return [
    ...(attempt.running_time === null
      ? []
      : [{ ...about, event: 'on_start' as const, minimum: 1, maximum: 1 }]),
    ...endEventsOf(attempt.state, attempt.result).map((event): ExpectedNotification => ({
      ...about,
      event,
      minimum: 1,
      maximum: 1,
    })),
    {
      ...about,
      event: 'on_duration_warning_threshold_exceeded',
      ...expectedWarnings(
        about.settings,
        attempt.start_time ?? undefined,
        attempt.end_time ?? undefined,
        attempt.state === 'SKIPPED',
      ),
    },
  ];
}

function endEventsOf(state: RunRow['state'], result: RunRow['result']): SubscribableEvent[] {
  if (!['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'].includes(state)) return [];
  return [state === 'TERMINATED' && result === 'SUCCESS' ? 'on_success' : 'on_failure'];
}

/**
 * One that is told while the end is being stored may be there although the end is stamped before its time: at
 * most one all the same.
 */
function expectedWarnings(
  { health }: AlertSettingsSource,
  start: number | undefined,
  end: number | undefined,
  waited: boolean,
): CountRange {
  const [rule] = health?.rules ?? [];
  if (rule === undefined || start === undefined) return { minimum: 0, maximum: 0 };
  return { minimum: !waited && end !== undefined && end - start > rule.value * 1_000 ? 1 : 0, maximum: 1 };
}
