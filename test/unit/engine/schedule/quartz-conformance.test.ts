/** Agreement with the real Quartz scheduler: quartz-truth.txt is what it answered (see QuartzTruth.java). */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nextFire } from '../../../../engine/schedule/next-fire.ts';
import { parseQuartz } from '../../../../engine/schedule/quartz.ts';
import { zoneOf } from '../../../../engine/schedule/zones.ts';

const sections = new Map(
  readFileSync(new URL('./quartz-truth.txt', import.meta.url), 'utf8')
    .split(/^# (?=rules|random|clock changes|damaged)/m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section.split('\n').slice(1, -1)]),
);

/** The line as we would write it. */
function ours(line: string): string {
  const [expression = '', zone = '', after = '', theirs = ''] = line.split('|');
  const answer = (fires: string): string => [expression, zone, after, fires].join('|');
  try {
    const quartz = parseQuartz(expression);
    const fires: number[] = [];
    for (let at = Number(after) * 1_000; fires.length < theirs.split(' ').length;) {
      const fire = nextFire(quartz, zoneOf(zone), at);
      if (fire === undefined) break;
      fires.push((fire.time - at) / 1_000);
      at = fire.time;
    }
    return answer(fires.length === 0 ? 'never' : fires.join(' '));
  } catch {
    return answer('ERROR');
  }
}

test.each([
  ['rules', 130],
  ['random', 2_500],
  ['clock changes', 1_000],
])('%s: every answer is the same', (name, least) => {
  const lines = sections.get(name) ?? [];
  expect(lines.length).toBeGreaterThan(least - 10);
  expect(lines.map(ours)).toEqual(lines);
});

test('damaged expressions: what Quartz refuses is refused, and what is taken fires as there', () => {
  const lines = sections.get('damaged') ?? [];
  expect(lines.length).toBeGreaterThan(800);
  const taken = lines.filter((line) => !ours(line).endsWith('|ERROR'));
  expect(taken.map(ours)).toEqual(taken);
  expect(taken.length).toBeGreaterThan(100);
});
