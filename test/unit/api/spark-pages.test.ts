/** Proxy of Spark's own pages: tickets, paths, and what is passed on. */
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { createErrorHandler } from '../../../api/http/error-response.ts';
import { createSparkPageTickets } from '../../../api/http/spark-page-tickets.ts';
import type { SparkPage } from '../../../engine/ports/spark-applications.ts';
import { addSparkPages, provePath } from '../../../api/http/spark-pages-route.ts';

const target = { clusterId: 'c', applicationId: 'local-1' };
const page = { status: 200, contentType: 'text/html;charset=utf-8', location: undefined };
const html = Buffer.from('<html><head><title>Spark</title></head></html>');

function open(now: { at: number }, answer: SparkPage | undefined = { ...page, content: html }) {
  const tickets = createSparkPageTickets({ now: () => now.at });
  const asked: string[] = [];
  const app = fastify();
  app.decorateRequest('caller', null);
  app.setErrorHandler(createErrorHandler({ isTransientError: () => false, requestBytes: 1_000 }));
  addSparkPages(app, {
    tickets,
    publicUrl: () => 'https://runs.example.org/below/',
    applications: {
      async readPage(clusterId, applicationId, path, base) {
        asked.push(clusterId, applicationId, path, base);
        return answer;
      },
    },
  });
  const get = (path: string) => app.inject({ method: 'GET', url: `/spark-pages/${path}` });
  return { tickets, asked, get };
}

describe('paths', () => {
  test.each<[string, string | undefined]>([
    ['/', '/'],
    ['/jobs/', '/jobs/'],
    ['/jobs/job/?id=0&a=%22', '/jobs/job/?id=0&a=%22'],
    ['/api/v1/applications/local-1/stages', '/api/v1/applications/local-1/stages'],
    ['/static/a%20b.js', '/static/a%20b.js'],
    ['/jobs/job/kill/?id=0', undefined],
    ['/stages/stage/kill', undefined],
    ['/..', undefined],
    ['/jobs/../../x', undefined],
    ['/%2e%2e/x', undefined],
    ['/a//b', undefined],
    ['/a%2f..%2fb', undefined],
    ['/a%00', undefined],
    ['/a%5cb', undefined],
    ['/http:%2f%2fexample.org', undefined],
    ['/%zz', undefined],
  ])('%j below the pages is %s', (written, read) => {
    if (read === undefined) expect(() => provePath(written)).toThrow("none of Spark's pages");
    else expect(provePath(written)).toBe(read);
  });
});

test('a page is shown in a sandbox, with a storage in memory for its scripts', async () => {
  const { tickets, asked, get } = open({ at: 0 });
  const ticket = tickets.issue(target);
  const { headers, body } = await get(`${ticket}/jobs/?id=1`);
  expect(asked).toEqual(['c', 'local-1', '/jobs/?id=1', `/below/spark-pages/${ticket}`]);
  expect(headers['content-security-policy']).toMatch(/^sandbox allow-scripts allow-forms; /);
  expect(body).toMatch(/^<html><head><script>.*localStorage.*<\/script><title>Spark/);
});

test('a redirect stays below the address, and an unknown ticket is refused', async () => {
  const { tickets, get } = open({ at: 0 }, { ...page, status: 302, location: '/jobs/', content: html });
  const ticket = tickets.issue(target);
  expect((await get(`${ticket}/`)).headers['location']).toBe(`/below/spark-pages/${ticket}/jobs/`);
  expect((await get('unknown/jobs/')).json()).toMatchObject({ error_code: 'PERMISSION_DENIED' });
});

test('a ticket is shared for half an hour, and valid for one', () => {
  const now = { at: 0 };
  const { tickets } = open(now);
  const ticket = tickets.issue(target);
  const minute = 60_000;
  expect(ticket).toMatch(/^[\w-]{43}$/);
  now.at = 29 * minute;
  expect(tickets.issue(target)).toBe(ticket);
  expect(tickets.issue({ ...target, applicationId: 'local-2' })).not.toBe(ticket);
  now.at = 31 * minute;
  expect(tickets.issue(target)).not.toBe(ticket);
  expect(tickets.resolve(ticket)).toMatchObject(target);
  now.at = 60 * minute;
  expect(tickets.resolve(ticket)).toBeUndefined();
});
