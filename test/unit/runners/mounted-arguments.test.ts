/** Arguments below a mount point of managed_fs become paths of the machine, where the mount is missing. */
import { expect, test } from 'vitest';
import { resolveMountedArguments } from '../../../runners/process/mounted-arguments.ts';

const resolve = (argument: string, mounted: readonly string[] = []): string | undefined =>
  resolveMountedArguments(['/dbfs/program', argument], '/data/managed_fs', (point) =>
    mounted.includes(point),
  )[1];

test.each([
  ['/dbfs/in/a.csv', '/data/managed_fs/in/a.csv'],
  ['/dbfs', '/data/managed_fs/'],
  ['/dbfs/in/', '/data/managed_fs/in/'],
  ['/Volumes/main/default/v', '/data/managed_fs/Volumes/main/default/v'],
  ['/dbfs/Volumes/main/v', '/data/managed_fs/Volumes/main/v'],
  ['--input=/dbfs/a b', '--input=/data/managed_fs/a b'],
  ['-i=/dbfs/a', '-i=/data/managed_fs/a'],
  ['file:/dbfs/a', 'file:/data/managed_fs/a'],
  ['file:///dbfs/a', 'file:///data/managed_fs/a'],
  ['--conf.a-b=file:/Volumes/a', '--conf.a-b=file:/data/managed_fs/Volumes/a'],
])('%s becomes %s', (argument, expected) => {
  expect(resolve(argument)).toBe(expected);
});

test.each([
  'dbfs:/a',
  'managed_fs:/a',
  '/dbfsx/a',
  'see /dbfs/a',
  '/dbfs/../etc/passwd',
  '/a:/dbfs/a',
  'SELECT 1 --x=/dbfs/a',
  '{"path": "/dbfs/a"}',
  '',
])('%j stays as it is', (argument) => {
  expect(resolve(argument)).toBe(argument);
});

test('an argument below a mount point that the machine has stays as it is', () => {
  expect(resolve('/dbfs/a', ['/dbfs'])).toBe('/dbfs/a');
  expect(resolve('/Volumes/a', ['/Volumes'])).toBe('/Volumes/a');
  expect(resolve('/Volumes/a', ['/dbfs'])).toBe('/data/managed_fs/Volumes/a');
});

test('the program itself is never replaced', () => {
  expect(resolveMountedArguments(['/dbfs/run', '/dbfs/a'], '/m', () => false)).toEqual(['/dbfs/run', '/m/a']);
});
