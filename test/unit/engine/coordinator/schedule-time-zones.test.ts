/** Scheduled runs of a year in several time zones. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScheduleHarness, scheduledJob, type ScheduleHarness } from './schedule-harness.ts';

const at = (text: string): number => Date.parse(`2027-${text}Z`);
let harness: ScheduleHarness;
beforeEach(async () => {
  harness = await createScheduleHarness(at('03-01T05:00'));
});
afterEach(() => harness.close());

describe('a year in five time zones', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Asia/Kolkata',
  ] as const;
  /** Returns the local time of a zone. */
  const formatLocalTime = (zone: string, time: number): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(time);

  test('a weekly schedule fires at its local time except in DST gaps, and once for the fires missed without an engine', async () => {
    const first = harness.startScheduler();
    const jobs = new Map<string, number>();
    for (const zone of zones)
      jobs.set(zone, await harness.createJob(scheduledJob('0 15 2 ? * SUN', { timezone_id: zone })));
    const advanceThroughFires = async (until: number): Promise<void> => {
      for (
        let due = await harness.store.getNextDueTime();
        due !== undefined && due <= until;
        due = await harness.store.getNextDueTime()
      )
        await harness.advanceTo(due);
    };
    await advanceThroughFires(at('10-20T00:00'));
    // No engine runs on the two Sundays around the end of daylight saving time in Europe.
    await first.close();
    harness.clock.setTime(at('11-10T00:00'));
    harness.startScheduler();
    await harness.advanceTo(at('11-10T00:00'));
    await advanceThroughFires(Date.parse('2028-03-01T00:00Z'));
    const gaps: Record<string, string> = {
      'Europe/Berlin': '2027-03-28',
      'America/New_York': '2027-03-14',
      'Australia/Lord_Howe': '2027-10-03',
    };
    for (const [zone, job] of jobs) {
      const rows = await harness.database.db
        .selectFrom('runs')
        .select('scheduled_time')
        .where('job_id', '=', job)
        .orderBy('scheduled_time')
        .execute();
      const sundays: string[] = [];
      for (
        let day = Date.parse('2027-03-07T00:00Z');
        day < Date.parse('2028-02-29T00:00Z');
        day += 7 * 86_400_000
      )
        sundays.push(new Date(day).toISOString().slice(0, 10));
      const missed = new Set(['2027-10-24', '2027-10-31']);
      const expected = sundays
        .filter((day) => day !== gaps[zone] && !missed.has(day))
        .map((day) => `${day} 02:15`);
      expect([zone, ...rows.map((row) => formatLocalTime(zone, row.scheduled_time ?? 0))]).toEqual([
        zone,
        ...expected,
      ]);
    }
  });
});
