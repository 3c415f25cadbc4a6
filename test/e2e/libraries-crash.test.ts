/**
 * kill -9 of the engine during a library installation: the installer continues, the next engine waits for
 * it, and no library is installed twice.
 */
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startEngineProcess } from '../harness/engine-process.ts';
import { buildWheels, findPythonWithPip, startPackageIndex } from '../harness/python-packages.ts';

const python = await findPythonWithPip();

/** Returns the processes whose environment marks them as part of an attempt. */
async function marked(directory: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, place) => texts[place]?.split('\0').includes(`RUNYARD_ATTEMPT_DIR=${directory}`));
}

test.skipIf(python === undefined)(
  'an installation outlives its engine, is gone on with, and ends with a cancel that was asked for meanwhile',
  async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'runyard kill libraries '));
    await chmod(dataDirectory, 0o711);
    const packages = ['first', 'second'].map((name) => ({
      name,
      version: '1.0',
      module: `word = "${name}"\n`,
    }));
    const index = await startPackageIndex(await buildWheels(python ?? '', dataDirectory, packages));
    const variables = {
      RUNYARD_LIBRARY_ENV: JSON.stringify({ PIP_INDEX_URL: index.url }),
      RUNYARD_STOP_GRACE_MS: '500',
    };
    let engine = await startEngineProcess(dataDirectory, variables);
    const begin = async (name: string): Promise<{ run_id: number; mark: string; pids: string[] }> => {
      index.servedFiles.length = 0;
      const { run_id } = await engine.callOk('POST', '2.0/jobs/runs/submit', {
        existing_cluster_id: 'c',
        libraries: [{ pypi: { package: `${name}==1.0` } }],
        spark_python_task: { python_file: 'managed_fs:/say.py', parameters: [name] },
      });
      await engine.waitForRun(run_id, () => index.servedFiles.length > 0);
      const mark = join(dataDirectory, 'runs', String(run_id));
      return { run_id, mark, pids: await marked(mark) };
    };
    try {
      await engine.putFile(
        '/say.py',
        'import importlib, sys\nprint(importlib.import_module(sys.argv[1]).word)\n',
      );
      const gate = Promise.withResolvers<void>();
      index.responseGate = gate.promise;
      const { run_id, mark, pids } = await begin('first');
      expect(pids.length).toBeGreaterThan(0);
      await engine.kill();
      expect(await marked(mark)).toEqual(pids);
      engine = await startEngineProcess(dataDirectory, variables);
      gate.resolve();
      const run: ResponseBody = await engine.waitForRunEnd(run_id);
      expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
      expect((await engine.callOk('GET', '2.0/jobs/runs/get-output', { run_id })).logs).toBe('first\n');
      expect(index.servedFiles).toEqual(['first-1.0-py3-none-any.whl']);

      index.responseGate = new Promise(() => undefined);
      const second = await begin('second');
      await engine.kill();
      engine = await startEngineProcess(dataDirectory, variables);
      await engine.callOk('POST', '2.0/jobs/runs/cancel', { run_id: second.run_id });
      expect((await engine.waitForRunEnd(second.run_id)).state).toMatchObject({ result_state: 'CANCELED' });
      expect(await marked(second.mark)).toEqual([]);
    } finally {
      await engine.terminate();
      await index.close();
      await rm(dataDirectory, { recursive: true, force: true });
    }
  },
);
