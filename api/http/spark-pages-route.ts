/**
 * Proxy of Spark's own pages, read only. They come from a driver that runs code of users: browsers show them in a
 * sandbox without an origin, so that their scripts reach neither the token of the console nor its pages.
 */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../engine/errors.ts';
import type { SparkApplications } from '../../engine/ports/spark-applications.ts';
import type { SparkPageTickets } from './spark-page-tickets.ts';

export interface SparkPagePorts {
  readonly applications: Pick<SparkApplications, 'readPage'>;
  readonly tickets: Pick<SparkPageTickets, 'resolve'>;
  /** Base URL of the service; its path is part of the links of the pages. */
  readonly publicUrl: () => string;
}

/** First segment of the addresses of the pages. */
const prefix = '/spark-pages';

const pageHeaders = {
  'content-security-policy': [
    'sandbox allow-scripts allow-forms',
    "default-src 'self' data:",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  // A page without an origin may read its own data; the address is the secret.
  'access-control-allow-origin': '*',
} as const satisfies Record<string, string>;

/** Storage of the browser, which a page without an origin does not have: kept in memory. */
const storageScript =
  '<script>for(const n of ["localStorage","sessionStorage"]){const m=new Map();Object.defineProperty(window,n,{value:{getItem:k=>m.get(String(k))??null,setItem:(k,v)=>{m.set(String(k),String(v))},removeItem:k=>{m.delete(String(k))},clear:()=>m.clear()}})}</script>';

/** Adds the proxy. The ticket in the address takes the place of a token. */
export function addSparkPages(app: FastifyInstance, ports: SparkPagePorts): void {
  app.get<{ Params: { ticket: string } }>(
    `${prefix}/:ticket/*`,
    { config: { open: true } },
    async (request, reply) => {
      const { ticket } = request.params;
      const target = ports.tickets.resolve(ticket);
      if (target === undefined)
        throw new ServiceError(
          'PERMISSION_DENIED',
          "The address of Spark's pages has expired. Open the page of the cluster and follow its link again.",
        );
      const path = provePath(request.raw.url?.slice(`${prefix}/${ticket}`.length) ?? '/');
      const root = new URL(ports.publicUrl()).pathname.replace(/\/$/, '');
      const base = `${root}${prefix}/${ticket}`;
      const page = await ports.applications.readPage(target.clusterId, target.applicationId, path, base);
      if (page === undefined)
        throw new ServiceError(
          'RESOURCE_DOES_NOT_EXIST',
          `The Spark application ${target.applicationId} has ended, or its pages do not answer.`,
        );
      reply.code(page.status).headers(pageHeaders).type(page.contentType);
      if (page.location !== undefined) reply.header('location', `${base}${page.location}`);
      return page.contentType.startsWith('text/html')
        ? page.content.toString('utf8').replace(/<head>/i, (head) => `${head}${storageScript}`)
        : page.content;
    },
  );
}

/**
 * Returns a path that stays among the pages and changes nothing.
 * @param written path and query as the client sent them
 * @throws ServiceError for any other path
 */
export function provePath(written: string): string {
  const [path = '', query] = written.split('?', 2);
  const decoded = decodeOrEmpty(path);
  const segments = decoded.split('/').slice(1);
  const isProven =
    /^\/[\w.~/ -]*$/.test(decoded) &&
    segments.every(
      (segment, index) =>
        !/^\.{1,2}$|^kill$/.test(segment) && (segment !== '' || index === segments.length - 1),
    );
  if (!isProven || (query !== undefined && !/^[\x21-\x7e]*$/.test(query)))
    throw new ServiceError('INVALID_PARAMETER_VALUE', "The address is none of Spark's pages.");
  return `${encodeURI(decoded)}${query === undefined ? '' : `?${query}`}`;
}

function decodeOrEmpty(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
