/** Files of the console: one page at /, its assets, and redirects of run links. They need no token. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { codeOf } from '../../engine/errors.ts';

/**
 * Content security policy of the page: it runs its own script and calls its own service. An exported notebook
 * is shown in a frame without scripts that inherits this policy and has inline styles and images.
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
  // Asset names contain a hash of their contents, so only the page itself must be revalidated.
  'cache-control': 'no-cache',
} as const satisfies Record<string, string>;

const consoleNotBuiltPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Runyard: the console is not built</title></head>
<body style="font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem">
<h1>The console is not built</h1>
<p>The service is running and its API works. Only the console is missing: npm builds it during installation, unless scripts are disabled.</p>
<p>Run this command in the directory of Runyard, then reload this page. You do not need to restart the service:</p>
<pre><code>npm run console</code></pre>
<p><a href="api/docs">API reference</a></p>
</body></html>
`;

/**
 * Adds the console.
 * @param directory output directory of the build; while it is empty, the page shows the build command
 */
export function addConsole(app: FastifyInstance, directory: string): void {
  // The plugin limits its hooks to these routes.
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
      // Asset names are plain file names; other paths are not found.
      allowedPath: (path) => /^\/[\w.-]+$/.test(path),
    });
    pages.get('/', { exposeHeadRoute: true }, async (_request, reply) => {
      const page = await readPage(directory);
      reply.code(page === undefined ? 503 : 200).headers(pageHeaders);
      return page ?? consoleNotBuiltPage;
    });
    // The page reads the fragment. The redirect is relative so that it works below a path prefix of a proxy.
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
