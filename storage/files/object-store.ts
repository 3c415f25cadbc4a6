/**
 * S3-compatible object store behind `objstore://`. Objects that tasks name are fetched into a cache, once
 * for each version.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AwsClient } from 'aws4fetch';
import type { Clock } from '../../engine/clock.ts';
import { codeOf, invalid, messageOf, ServiceError } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import { undefinedIfMissing } from '../../engine/read-file.ts';

/** Address and credentials of the object store. */
export interface ObjectStoreConfig {
  /** Without a trailing slash; buckets are the first path segment. */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

export interface ObjectStore {
  /**
   * Returns the path of a local copy of the current version of an object.
   * @param uri as the caller wrote it; messages repeat it
   * @throws ServiceError with a message for the run's state: the object does not exist, or access is denied
   */
  fetch(bucket: string, key: string, uri: string): Promise<string>;
}

/** Timeout for a whole object (ms). */
const requestTimeoutMs = 15 * 60_000;
/** Attempts of a request that fails temporarily. */
const retries = 3;

/** Creates the object store. @param directory of the cache; created when needed */
export function createObjectStore(address: ObjectStoreConfig, directory: string, clock: Clock): ObjectStore {
  const client = new AwsClient({
    accessKeyId: address.accessKey,
    secretAccessKey: address.secretKey,
    service: 's3',
    region: address.region,
    retries,
  });
  const ask = async (
    method: 'GET' | 'HEAD',
    url: string,
    uri: string,
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    // Redirects are not followed: the request carries the signature of this service.
    const init: RequestInit = {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(requestTimeoutMs),
    };
    return client.fetch(url, init).catch((error: unknown) => {
      throw toUnreachableError(address, uri, error);
    });
  };
  return {
    async fetch(bucket, key, uri) {
      const url = urlOf(address, bucket, key, uri);
      for (;;) {
        const head = await ask('HEAD', url, uri);
        if (!head.ok) throw toRefusalError(head.status, uri);
        const version =
          head.headers.get('etag') ??
          `${head.headers.get('last-modified')} ${head.headers.get('content-length')}`;
        const entry = join(
          directory,
          createHash('sha256')
            .update(JSON.stringify([url, version]))
            .digest('hex'),
        );
        const file = join(entry, basename(key));
        const now = clock.now() / 1_000;
        if (await utimes(entry, now, now).then(() => true, undefinedIfMissing)) return file;
        const etag = head.headers.get('etag');
        const answer = await ask('GET', url, uri, etag === null ? {} : { 'if-match': etag });
        // The object was replaced between the two requests.
        if (answer.status === 412) continue;
        if (!answer.ok || answer.body === null) throw toRefusalError(answer.status, uri);
        await storeInCache(answer.body, entry, basename(key)).catch((error: unknown) => {
          throw toUnreachableError(address, uri, error);
        });
        return file;
      }
    },
  };
}

/** Saves the response under its name atomically; a copy that another process saved first stays. */
async function storeInCache(body: NonNullable<Response['body']>, entry: string, name: string): Promise<void> {
  const draft = `${entry}.${randomUUID()}.part`;
  try {
    await mkdir(draft, { recursive: true });
    await pipeline(body, createWriteStream(join(draft, name), { mode: 0o444 }));
    await rename(draft, entry).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function urlOf({ endpoint }: ObjectStoreConfig, bucket: string, key: string, uri: string): string {
  if (!/^[a-z\d][a-z\d._-]{0,254}$/i.test(bucket))
    throw invalid(
      `The path ${quote(uri)} names the bucket ${quote(bucket)}; a bucket has letters, digits, dots and dashes.`,
    );
  const names = key.split('/').filter((name) => name !== '');
  if (names.length === 0 || key.endsWith('/'))
    throw invalid(`The path ${quote(uri)} names no object: it must be objstore://<bucket>/<path>.`);
  // A URL parser would resolve these segments to the address of another object.
  if (names.includes('.') || names.includes('..'))
    throw invalid(`The path ${quote(uri)} must not hold the folders "." and "..".`);
  return `${endpoint}/${bucket}/${names.map(encodeURIComponent).join('/')}`;
}

function toRefusalError(status: number, uri: string): ServiceError {
  if (status === 404)
    return new ServiceError(
      'RESOURCE_DOES_NOT_EXIST',
      `File ${uri} was not found in the object store. Put it there and start the run again.`,
    );
  if (status === 401 || status === 403) {
    return invalid(
      `The object store refuses ${uri} (HTTP ${status}): it is not there, or the keys in RUNYARD_OBJSTORE_ACCESS_KEY and RUNYARD_OBJSTORE_SECRET_KEY may not read it.`,
    );
  }
  const hint = status >= 300 && status < 400 ? ': is RUNYARD_OBJSTORE_REGION the region of the bucket?' : '.';
  return invalid(`The object store answers HTTP ${status} for ${uri}${hint}`);
}

function toUnreachableError({ endpoint }: ObjectStoreConfig, uri: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const reason =
    error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
  return invalid(
    `${uri} could not be fetched from the object store at ${new URL(endpoint).host}: ${reason}.`,
  );
}
