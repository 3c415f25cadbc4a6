/** API client of the demo, and the parts of the responses that it reads. */
import { posix } from 'node:path';
import { Type, type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { lifeCycleStates, resultStates } from '../../engine/run/states.ts';
import { CommandError } from '../start-error.ts';

const State = Type.Object({
  life_cycle_state: Type.Enum([...lifeCycleStates]),
  result_state: Type.Optional(Type.Enum([...resultStates])),
  state_message: Type.String(),
});

const TaskRun = Type.Object({
  run_id: Type.Integer(),
  task_key: Type.String(),
  attempt_number: Type.Integer(),
  state: State,
  /** Epoch ms; 0 before the event. */
  start_time: Type.Integer(),
  end_time: Type.Integer(),
});

const Run = Type.Object({
  run_id: Type.Integer(),
  state: State,
  tasks: Type.Array(TaskRun),
  run_page_url: Type.String(),
  start_time: Type.Integer(),
  end_time: Type.Integer(),
});

const RunOutput = Type.Object({
  notebook_output: Type.Optional(Type.Object({ result: Type.Optional(Type.String()) })),
  error: Type.Optional(Type.String()),
  error_trace: Type.Optional(Type.String()),
});

export type TaskRun = Static<typeof TaskRun>;
export type Run = Static<typeof Run>;
export type Output = Static<typeof RunOutput>;

export interface DemoClient {
  /** Writes a file of managed_fs and overwrites an existing one. */
  putFile(path: string, contents: Buffer): Promise<void>;
  /** Imports a Python notebook and overwrites an existing one. */
  importNotebook(path: string, contents: Buffer): Promise<void>;
  /** Writes a plain file of the workspace and overwrites an existing one. */
  importFile(path: string, contents: Buffer): Promise<void>;
  /** Resolves with the id of the job. */
  createJob(settings: unknown): Promise<number>;
  /** Resolves with the id of the run. */
  runNow(jobId: number, notebookParameters: Readonly<Record<string, string>>): Promise<number>;
  getRun(runId: number): Promise<Run>;
  /** Output of a task run. */
  getOutput(runId: number): Promise<Output>;
  cancel(runId: number): Promise<void>;
}

/** Every method throws CommandError with the error of the service. */
export function createDemoClient(url: string, token: string): DemoClient {
  const call = async (path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.json();
    throw new CommandError(`The engine rejected ${path}: ${response.status} ${await response.text()}`);
  };
  const read = async <Shape extends TSchema>(
    shape: Shape,
    answer: Promise<unknown>,
  ): Promise<Static<Shape>> => Parse(shape, await answer);
  return {
    async putFile(path, contents) {
      await call('/2.0/managed_fs/put', { path, contents: contents.toString('base64'), overwrite: true });
    },
    async importNotebook(path, contents) {
      await call('/2.0/workspace/import', {
        path,
        content: contents.toString('base64'),
        format: 'SOURCE',
        language: 'PYTHON',
        overwrite: true,
      });
    },
    async importFile(path, contents) {
      await call('/2.0/workspace/mkdirs', { path: posix.dirname(path) });
      const content = contents.toString('base64');
      await call('/2.0/workspace/import', { path, content, format: 'AUTO', overwrite: true });
    },
    createJob: async (settings) =>
      (await read(Type.Object({ job_id: Type.Integer() }), call('/2.1/jobs/create', Object(settings))))
        .job_id,
    async runNow(jobId, notebookParameters) {
      const started = call('/2.1/jobs/run-now', { job_id: jobId, notebook_params: notebookParameters });
      return (await read(Type.Object({ run_id: Type.Integer() }), started)).run_id;
    },
    getRun: (runId) => read(Run, call(`/2.1/jobs/runs/get?run_id=${runId}`)),
    getOutput: (runId) => read(RunOutput, call(`/2.1/jobs/runs/get-output?run_id=${runId}`)),
    async cancel(runId) {
      await call('/2.1/jobs/runs/cancel', { run_id: runId });
    },
  };
}
