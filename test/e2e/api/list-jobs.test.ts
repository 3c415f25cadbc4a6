/** List of jobs: order, pages, filters and versions (spec 4.1, 9.4). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';

const notebook = { notebook_path: '/Users/u/nb' };

const single = { name: 'single', existing_cluster_id: 'c-1', notebook_task: notebook };

const task = { task_key: 'a', existing_cluster_id: 'c-1', notebook_task: notebook };

const multi = { name: 'multi', tasks: [task, { ...task, task_key: 'b', depends_on: [{ task_key: 'a' }] }] };

let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});

afterAll(() => service.close());

describe('spec 4.1, 9.4: list', () => {
  let lister: ApiHarness;
  const ids: number[] = [];

  beforeAll(async () => {
    lister = await startApiHarness();
    for (let index = 0; index < 25; index += 1) {
      const settings =
        index % 2 === 0 ? { ...single, name: `job ${index}` } : { ...multi, name: `job ${index}` };
      ids.unshift(idFrom(await lister.post('2.0/jobs/create', settings), 'job_id'));
    }
  });
  afterAll(() => lister.close());

  const idsOf = (body: Readonly<Record<string, unknown>>): number[] =>
    Array.isArray(body['jobs']) ? body['jobs'].map((job: { job_id: number }) => job.job_id) : [];

  test('2.0 lists all jobs, newest first, without tasks', async () => {
    const { body } = await lister.get('2.0/jobs/list');
    expect(idsOf(body)).toEqual(ids);
    expect(body['has_more']).toBe(false);
    expect(JSON.stringify(body)).not.toContain('"tasks"');
    expect(body).not.toHaveProperty('next_page_token');
  });

  test('2.0 returns pages when a limit is given', async () => {
    const { body } = await lister.get('2.0/jobs/list', { limit: '10', offset: '10' });
    expect(idsOf(body)).toEqual(ids.slice(10, 20));
    expect(body['has_more']).toBe(true);
  });

  test.each([
    ['20 by default', {}, 20, true],
    ['as many as asked for', { limit: '25' }, 25, false],
    ['100 for limit 0', { limit: '0' }, 25, false],
    ['from an offset', { offset: '20' }, 5, false],
    ['by name, without regard to case', { name: 'JOB 3' }, 1, false],
    ['by a name that nothing has', { name: 'job' }, 0, false],
  ])('2.1 shows %s', async (_, query, count, more) => {
    const { body } = await lister.get('2.1/jobs/list', query);
    expect(idsOf(body)).toHaveLength(count);
    expect(body['has_more']).toBe(more);
    expect('next_page_token' in body).toBe(more);
  });

  test('pages by token contain every job once', async () => {
    const found: number[] = [];
    let token = '';
    do {
      const { body } = await lister.get('2.2/jobs/list', { limit: '7', page_token: token });
      found.push(...idsOf(body));
      token = String(body['next_page_token'] ?? '');
      expect(body['has_more']).toBe(token !== '');
    } while (token !== '');
    expect(found).toEqual(ids);
  });

  test('expand_tasks adds the tasks from 2.1 on, not in 2.0', async () => {
    const { body } = await lister.get('2.1/jobs/list', { limit: '2', expand_tasks: 'true' });
    expect(body['jobs']).toMatchObject([
      { settings: { tasks: [{ task_key: 'main' }] } },
      { settings: { tasks: [{ task_key: 'a' }, { task_key: 'b' }] } },
    ]);
    expect(JSON.stringify((await lister.get('2.0/jobs/list', { expand_tasks: 'true' })).body)).not.toContain(
      '"tasks"',
    );
  });

  test.each([
    [{ limit: '101' }, 'Invalid limit 101 - it has to be no more than 100.'],
    [{ limit: '-1' }, 'limit is -1; it must be at least 0.'],
    [{ page_token: 'x' }, 'page_token is "x"; it must be the next_page_token of a page of this list.'],
    [
      { page_token: Buffer.from('runs:7').toString('base64url') },
      'page_token is "cnVuczo3"; it must be the next_page_token of a page of this list.',
    ],
    [
      { page_token: Buffer.from('jobs:7').toString('base64url'), offset: '1' },
      'offset is 1 and page_token is given; only one of them is allowed.',
    ],
  ])('%j is refused', async (query, message) => {
    expect(await lister.get('2.1/jobs/list', query)).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message },
    });
  });
});
