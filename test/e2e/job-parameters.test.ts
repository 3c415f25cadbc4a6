/** Job parameters and parameters of a run, through HTTP. */
import { describe, expect, test } from 'vitest';
import {
  registerService,
  runyard,
  notebook,
  python,
  ran,
  widgetsOf,
  argumentsOf,
} from './dynamic-values-harness.ts';

registerService();

describe('job parameters', () => {
  const parameters = [
    { name: 'city', default: 'Zürich' },
    { name: 'day', default: '{{job.start_time.iso_date}}' },
  ];
  const tasks = [
    notebook('nb', '/widgets', { city: 'Bern', own: '1' }),
    python('py', ['{{job.parameters.city}}', '--day={{job.parameters.day}}']),
  ];

  test('spec 2.7: reach notebooks as widgets and programs by reference, and the run shows their values', async () => {
    const run = await ran({ name: 'p', parameters, tasks }, { job_parameters: { city: 'Genève' } });
    const date = new Date(run.start_time).toISOString().slice(0, 10);
    expect(await widgetsOf(run, 'nb')).toEqual({ city: 'Genève', day: date, own: '1' });
    expect(await argumentsOf(run, 'py')).toEqual(['Genève', `--day=${date}`]);
    expect(run.job_parameters).toEqual([
      { ...parameters[0], value: 'Genève' },
      { ...parameters[1], value: date },
    ]);
    expect(run.overriding_parameters).toEqual({ job_parameters: { city: 'Genève' } });
    expect(await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id: run.run_id })).not.toHaveProperty(
      'job_parameters',
    );
    expect(
      (await runyard.callOk('GET', '2.1/jobs/runs/list', { job_id: run.job_id })).runs[0].job_parameters,
    ).toEqual(run.job_parameters);
  });

  test('spec 2.10: notebook_params of a run override base_parameters, and job parameters override both', async () => {
    const run = await ran(
      { name: 'p', parameters, tasks },
      { notebook_params: { city: 'Basel', own: '{{task_key}}' } },
    );
    expect(await widgetsOf(run, 'nb')).toMatchObject({ city: 'Zürich', own: 'nb' });
    expect(await argumentsOf(run, 'py')).toMatchObject(['Zürich', expect.any(String)]);
  });

  test('spec 2.10: python_params replace the parameters of the task and may hold references', async () => {
    const run = await ran(
      { name: 'p', parameters, tasks },
      { python_params: ['{{job.parameters.city}}', '{{ nothing }}'] },
    );
    expect(await argumentsOf(run, 'py')).toEqual(['Zürich', '{{ nothing }}']);
    expect(run.overriding_parameters).toEqual({
      python_params: ['{{job.parameters.city}}', '{{ nothing }}'],
    });
  });

  test('a one-time run may define its own', async () => {
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', { parameters, tasks });
    expect(await argumentsOf(await runyard.waitForRunEnd(run_id), 'py')).toMatchObject([
      'Zürich',
      expect.any(String),
    ]);
  });
});
