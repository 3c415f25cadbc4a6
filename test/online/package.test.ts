/** The packed package, installed from the registry into an empty folder: version, demo and service. */
import { mkdtemp, chmod, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../docs/generator/source-text.ts';

describe.skipIf(process.env['RUNYARD_TEST_ONLINE'] !== '1')('the packed package', () => {
  test('installs without build tools and runs the demo', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'runyard-package-'));
    try {
      await chmod(directory, 0o755);
      const packed = await execa('npm', ['run', '--silent', 'package'], { cwd: projectRoot });
      const tarball = packed.stdout.trim().split('\n').at(-1) ?? '';
      const npm = { cwd: directory, extendEnv: false, env: { PATH: process.env['PATH'], HOME: directory } };
      await execa('npm', ['install', '--no-audit', '--no-fund', tarball], npm);
      const { version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
      expect((await execa('npx', ['runyard', '--version'], npm)).stdout).toBe(version);
      const demo = await execa('npx', ['runyard', 'demo'], npm);
      expect(demo.stdout).toMatch(/^The run ended with SUCCESS/m);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }, 600_000);
});
