/** Reads Spark's own pages from the loopback interface, for a proxy. Nothing of the reader's request is passed on. */
import { request } from 'node:http';
import { tryParseJson } from '../../engine/read-file.ts';
import { isRecord } from '../../engine/validation/json-object.ts';
import type { SparkPage } from '../../engine/ports/spark-applications.ts';
import { portTries, signRequest } from './pages-access.ts';

interface PageRequest {
  /** Chosen port; Spark may have taken one after it. */
  readonly port: number;
  readonly secret: string | undefined;
  readonly applicationId: string;
  /** With a slash at the beginning, and its query. */
  readonly path: string;
  readonly base: string;
}

const timeoutMs = 20_000;
const contentBytesMax = 32 * 2 ** 20;
const applicationsPath = '/api/v1/applications';

/** Creates a reader that remembers the ports of applications. */
export function createPageReader(): { read(page: PageRequest): Promise<SparkPage | undefined> } {
  const ports = new Map<string, number>();
  return {
    async read(page) {
      const { applicationId, port: chosen } = page;
      const known = ports.get(applicationId);
      const first = Array.from({ length: portTries }, (_, index) => chosen + index);
      // The application may have ended, and another program may listen there now.
      for (const port of known === undefined ? first : [known, ...first]) {
        if (!(await isApplicationAt(page, port))) continue;
        ports.set(applicationId, port);
        return get(page, port, page.path);
      }
      ports.delete(applicationId);
      return undefined;
    },
  };
}

async function isApplicationAt(page: PageRequest, port: number): Promise<boolean> {
  const found = await get(page, port, applicationsPath);
  const list = tryParseJson(found?.content.toString('utf8') ?? '');
  return Array.isArray(list) && list.some((one) => isRecord(one) && one['id'] === page.applicationId);
}

/** Reads a page; undefined when there is no answer, or one that is too large. */
function get({ secret, base }: PageRequest, port: number, path: string): Promise<SparkPage | undefined> {
  return new Promise((resolve) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      timeout: timeoutMs,
      headers: {
        // Spark begins its links with this path.
        'x-forwarded-context': base,
        ...(secret !== undefined && { authorization: `Bearer ${signRequest(secret)}` }),
      },
    });
    const fail = (): void => {
      sent.destroy();
      resolve(undefined);
    };
    sent.on('error', fail).on('timeout', fail);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('error', fail).on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > contentBytesMax) fail();
        else chunks.push(chunk);
      });
      response.on('end', () => {
        const { location } = response.headers;
        resolve({
          status: response.statusCode ?? 502,
          contentType: response.headers['content-type'] ?? 'application/octet-stream',
          location: location === undefined ? undefined : targetOf(location, base),
          content: Buffer.concat(chunks),
        });
      });
    });
    sent.end();
  });
}

/** Returns where a redirect leads, below the pages of the application; another host is left out. */
function targetOf(location: string, base: string): string {
  const { pathname, search } = new URL(location, 'http://spark');
  return `${pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname}${search}`;
}
