/**
 * Each notice is stored exactly once: what people must be told follows from how runs and attempts went, and
 * nothing else is there.
 */
import type { JobSettings, TaskSettings } from '../../../engine/job/settings.ts';
import type { SubscribableEvent } from '../../../engine/job/alerts.ts';
import type { RunRow, TaskRunRow } from '../../../storage/postgres/runs/run-rows.ts';
import {
  groupedBy,
  neverTookPlace,
  roundIndexOf,
  roundsOf,
  settingsOf,
  type Evidence,
  type Invariant,
} from '../evidence.ts';

type Holder = Pick<JobSettings | TaskSettings, 'email_notifications' | 'health'>;

/** How often a notice must be there at least, and may be at most. */
interface Times {
  readonly least: number;
  readonly most: number;
}

interface Expected extends Times {
  readonly event: SubscribableEvent;
  readonly holder: Holder;
  readonly runId: number;
  readonly taskKey: string | null;
}

export const noticesAreStoredOnce: Invariant = (evidence, look) => {
  const expected = new Map<string, Times>();
  for (const { event, holder, runId, taskKey, least, most } of expectations(evidence)) {
    for (const recipient of holder.email_notifications?.[event] ?? []) {
      const key = keyOf(event, recipient, runId, taskKey);
      const before = expected.get(key) ?? { least: 0, most: 0 };
      expected.set(key, { least: before.least + least, most: before.most + most });
    }
  }
  const stored = groupedBy(evidence.notices, (notice) =>
    keyOf(notice.event, notice.recipient, notice.run_id ?? 0, notice.task_key),
  );
  for (const key of new Set([...expected.keys(), ...stored.keys()])) {
    const { least, most } = expected.get(key) ?? { least: 0, most: 0 };
    const times = stored.get(key)?.length ?? 0;
    look(
      times >= least && times <= most,
      Number(key.split(' ')[2]),
      () =>
        `The notice "${key}" is stored ${times} times instead of ${least}${most === least ? '' : ` to ${most}`}.`,
    );
  }
};

/** What was taken out of the outbox goes to its recipient once, whatever engine took it. */
export const noticesHaveOneDelivery: Invariant = ({ notices, deliveries }, look) => {
  const made = groupedBy(deliveries, (delivery) => delivery.notice_id);
  for (const notice of notices.filter(({ taken_time: taken }) => taken !== null)) {
    const times = made.get(notice.notice_id)?.length ?? 0;
    look(
      times === 1,
      notice.run_id ?? undefined,
      () => `Notice ${notice.notice_id} of run ${notice.run_id} has ${times} deliveries.`,
    );
  }
};

function keyOf(event: string, recipient: string, runId: number, taskKey: string | null): string {
  return `${event} ${recipient} ${runId} ${taskKey ?? ''}`.trim();
}

function expectations(evidence: Evidence): Expected[] {
  const attemptsOf = groupedBy(evidence.attempts, (attempt) => attempt.job_run_id);
  return evidence.runs.flatMap((run) => {
    const attempts = attemptsOf.get(run.run_id) ?? [];
    const ofTasks =
      run.format === 'SINGLE_TASK' || neverTookPlace(run)
        ? []
        : attempts.flatMap((attempt) => ofAttempt(run, attempt));
    return [...ofRun(run, attempts, evidence), ...ofTasks];
  });
}

/** A run says that it begins once, whatever is repaired; each of its rounds says how it ended. */
function ofRun(run: RunRow, attempts: readonly TaskRunRow[], evidence: Evidence): Expected[] {
  const about = { holder: run.settings, runId: run.run_id, taskKey: null };
  const began = attempts.some(
    (attempt) => attempt.running_time !== null && roundIndexOf(attempt, evidence) === 0,
  );
  const rounds = roundsOf(run, evidence).flatMap((round): Expected[] => [
    ...endOf(round.state, round.result).map((event): Expected => ({ ...about, event, least: 1, most: 1 })),
    {
      ...about,
      event: 'on_duration_warning_threshold_exceeded',
      ...warnings(run.settings, round.start, round.end, neverTookPlace(run)),
    },
  ]);
  return [...(began ? [{ ...about, event: 'on_start' as const, least: 1, most: 1 }] : []), ...rounds];
}

function ofAttempt(run: RunRow, attempt: TaskRunRow): Expected[] {
  const about = { holder: settingsOf(run, attempt), runId: attempt.run_id, taskKey: attempt.task_key };
  return [
    ...(attempt.running_time === null ? [] : [{ ...about, event: 'on_start' as const, least: 1, most: 1 }]),
    ...endOf(attempt.state, attempt.result).map((event): Expected => ({
      ...about,
      event,
      least: 1,
      most: 1,
    })),
    {
      ...about,
      event: 'on_duration_warning_threshold_exceeded',
      ...warnings(
        about.holder,
        attempt.start_time ?? undefined,
        attempt.end_time ?? undefined,
        attempt.state === 'SKIPPED',
      ),
    },
  ];
}

function endOf(state: RunRow['state'], result: RunRow['result']): SubscribableEvent[] {
  if (!['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'].includes(state)) return [];
  return [state === 'TERMINATED' && result === 'SUCCESS' ? 'on_success' : 'on_failure'];
}

/**
 * One that is told while the end is being stored may be there although the end is stamped before its time: at
 * most one all the same.
 */
function warnings(
  { health }: Holder,
  start: number | undefined,
  end: number | undefined,
  waited: boolean,
): Times {
  const [rule] = health?.rules ?? [];
  if (rule === undefined || start === undefined) return { least: 0, most: 0 };
  return { least: !waited && end !== undefined && end - start > rule.value * 1_000 ? 1 : 0, most: 1 };
}
