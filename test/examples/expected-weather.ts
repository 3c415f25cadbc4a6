/** Expected values of the weather example, computed without its code. */
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';

interface Day {
  readonly date: string;
  readonly precipitation: number;
  readonly tempMax: number;
  readonly tempMin: number;
}

/** A value rounded to two places may differ by 0.005, which closeTo(x, 2) rejects. */
const decimalPlaces = 1.99;

/** Returns a matcher for the exit value of the last notebook. */
export async function expectedReport(year: string): Promise<object> {
  const days = (await readDays()).filter((day) => day.date.startsWith(year));
  const [hottest, coldest, wettest] = [
    dayWithMaximum(days, (day) => day.tempMax),
    dayWithMaximum(days, (day) => -day.tempMin),
    dayWithMaximum(days, (day) => day.precipitation),
  ];
  return {
    year: Number(year),
    days: days.length,
    mean_temp_max: expect.closeTo(sum(days.map((day) => day.tempMax)) / days.length, decimalPlaces),
    mean_temp_min: expect.closeTo(sum(days.map((day) => day.tempMin)) / days.length, decimalPlaces),
    hottest_day: {
      date: hottest.date,
      temp_max: hottest.tempMax,
      twin: expect.not.stringMatching(`^${year}`),
    },
    coldest_day: { date: coldest.date, temp_min: coldest.tempMin },
    total_precipitation_mm: sum(days.map((day) => day.precipitation)),
    rain_days: days.filter((day) => day.precipitation >= 1).length,
    wettest_day: { date: wettest.date, precipitation_mm: wettest.precipitation },
    longest_dry_spell_days: longestDrySpell(days),
  };
}

async function readDays(): Promise<Day[]> {
  const text = await readFile(new URL('../../examples/weather/seattle-weather.csv', import.meta.url), 'utf8');
  const [, ...lines] = text.trim().split(/\r?\n/);
  return lines.map((line) => {
    const [date = '', precipitation, tempMax, tempMin] = line.split(',');
    return { date, precipitation: Number(precipitation), tempMax: Number(tempMax), tempMin: Number(tempMin) };
  });
}

function sum(values: readonly number[]): number {
  // The data has one decimal place; sums of integer tenths are exact.
  return values.reduce((total, value) => total + Math.round(value * 10), 0) / 10;
}

/** Returns the first day with the maximum `rank`. */
function dayWithMaximum(days: readonly Day[], rank: (day: Day) => number): Day {
  return days.reduce((best, day) => (rank(day) > rank(best) ? day : best));
}

function longestDrySpell(days: readonly Day[]): number {
  const spells = days
    .map((day) => (day.precipitation >= 1 ? ' ' : '-'))
    .join('')
    .split(' ');
  return Math.max(...spells.map((spell) => spell.length));
}
