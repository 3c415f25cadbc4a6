/**
 * The console's files: one page at /, what it loads, and links of other forms that lead to it. They need no
 * token: they hold no data.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { codeOf } from '../../engine/errors.ts';

/**
 * What the page may do: run its own script and talk to its own service. An exported notebook stands in a
 * frame that runs no script; it inherits this policy and brings its own style and pictures, so styles may
 * stand in the text.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  'media-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'content-type': 'text/html; charset=utf-8',
  // The page names files by their contents: it must be asked for each time, they never again.
  'cache-control': 'no-cache',
} as const satisfies Record<string, string>;

const consoleNotBuiltPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Runyard: the console is not built</title></head>
<body style="font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem">
<h1>The console is not built</h1>
<p>The service is running, and its API works. Only these pages are missing: npm makes them when it installs, unless it is told to run no scripts.</p>
<p>Run this in the directory of Runyard, then load this page again; the service need not be restarted:</p>
<pre><code>npm run console</code></pre>
<p><a href="api/docs">Description of the API</a></p>
</body></html>
`;

/**
 * Adds the console. @param directory where it is built; while it is not, its page says which command does it
 */
export function addConsole(app: FastifyInstance, directory: string): void {
  // A plugin of its own: what is added here is for these routes alone.
  app.register(async (pages) => {
    pages.addHook('onRoute', (route) => {
      route.config = { ...route.config, open: true };
    });
    pages.register(fastifyStatic, {
      root: join(directory, 'assets'),
      prefix: '/assets/',
      index: false,
      decorateReply: false,
      immutable: true,
      maxAge: '365d',
      suppressWarning: true,
      // Plain names: whatever else is asked for is not there.
      allowedPath: (path) => /^\/[\w.-]+$/.test(path),
    });
    pages.get('/', { exposeHeadRoute: true }, async (_request, reply) => {
      const page = await readPage(directory);
      reply.code(page === undefined ? 503 : 200).headers(pageHeaders);
      return page ?? consoleNotBuiltPage;
    });
    // The page reads what stands behind #. Relative, so that it also leads there below a path of a proxy.
    pages.get<{ Params: { job: string; run: string } }>(
      '/jobs/:job(^\\d+$)/runs/:run(^\\d+$)',
      { exposeHeadRoute: true },
      async ({ params: { job, run } }, reply) => reply.redirect(`../../../#job/${job}/run/${run}`),
    );
  });
}

async function readPage(directory: string): Promise<string | undefined> {
  return readFile(join(directory, 'index.html'), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}
