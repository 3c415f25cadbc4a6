/** The tables of schedules as Kysely sees them. */

export interface ScheduleTable {
  job_id: number;
  /** Epoch ms; null while it is paused, has run out, or has a problem. */
  next_fire_at: number | null;
  /** The fire that was run last, by the time for which it was due. */
  last_fire_at: number | null;
  /** Why it cannot fire; null when it can. */
  problem: string | null;
}
