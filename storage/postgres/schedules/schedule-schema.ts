/** Kysely type of the table of schedules. */

export interface ScheduleTable {
  job_id: number;
  /** Epoch ms; null while the schedule is paused, has run out, or is invalid. */
  next_fire_at: number | null;
  /** Due time of the latest fire that started a run. */
  last_fire_at: number | null;
  /** The reason why the schedule is invalid; null for a valid one. */
  problem: string | null;
}
