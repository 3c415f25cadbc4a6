/** Conformance with the Quartz scheduler: quartz-truth.txt holds its answers (see QuartzTruth.java). */
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

/** Returns the line with the answer of this implementation. */
function actualLine(line: string): string {
  const [expression = '', zone = '', after = '', expected = ''] = line.split('|');
  const answer = (fires: string): string => [expression, zone, after, fires].join('|');
  try {
    const quartz = parseQuartz(expression);
    const fires: number[] = [];
    for (let at = Number(after) * 1_000; fires.length < expected.split(' ').length;) {
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
])('%s: every answer equals that of Quartz', (name, minimum) => {
  const lines = sections.get(name) ?? [];
  expect(lines.length).toBeGreaterThan(minimum - 10);
  expect(lines.map(actualLine)).toEqual(lines);
});

test('damaged expressions: those that Quartz refuses are refused, and the others fire at the same times', () => {
  const lines = sections.get('damaged') ?? [];
  expect(lines.length).toBeGreaterThan(800);
  const accepted = lines.filter((line) => !actualLine(line).endsWith('|ERROR'));
  expect(accepted.map(actualLine)).toEqual(accepted);
  expect(accepted.length).toBeGreaterThan(100);
});
