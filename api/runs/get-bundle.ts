/** GET jobs/runs/bundle. */
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Type } from 'typebox';
import { messageOf, ServiceError, runNotFound } from '../../engine/errors.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { createTarStream } from '../http/tar-stream.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { StreamedResponse } from '../http/streamed-response.ts';
import { apiVersions } from '../http/api-versions.ts';
import { createBundleFiles, type BundlePorts } from './bundle-files.ts';

/**
 * Streams an archive of a run with its documents and logs; the archive is not buffered in memory or on disk.
 * @throws ServiceError for an unknown run; REQUEST_LIMIT_EXCEEDED while too many bundles are open
 */
export function getBundleOperation(ports: BundlePorts): Operation {
  const maximumBundles = ports.limits.bundles;
  let open = 0;
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/bundle',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Download a bundle of a run',
    description:
      'Returns a tar.gz archive with run.json (settings and states), events.json, and, for every attempt of every task, tasks/<task_key>/attempt-<n>/ with stdout, stderr, output.json and notebook.html; ' +
      'missing.txt explains missing files. Secrets are masked. A bundle of an active run shows its current state. The id of a task run selects its run.',
    mediaType: 'application/gzip',
    request: Type.Object({
      run_id: Type.Integer({ ...Id, description: 'Id of the run, or of one of its task runs.' }),
    }),
    response: Type.String({ description: 'The archive (tar.gz).' }),
    async handle({ run_id: runId }, { log, shutdownSignal }) {
      const found = await ports.runs.find(runId);
      if (found === undefined) throw runNotFound(runId);
      const repairs = await ports.runs.listRepairs(found.run);
      if (open >= maximumBundles)
        throw new ServiceError(
          'REQUEST_LIMIT_EXCEEDED',
          `Too many concurrent bundle downloads (limit of this engine: ${maximumBundles}). Try again when one of them is complete.`,
          5,
        );
      open += 1;
      const source = Readable.from(createTarStream(createBundleFiles(ports, found, repairs)), {
        objectMode: false,
      });
      const stop = (): void => {
        source.destroy(new Error('The service is stopping.'));
      };
      shutdownSignal.addEventListener('abort', stop);
      const archive = pipeline(source, createGzip(), (error) => {
        open -= 1;
        shutdownSignal.removeEventListener('abort', stop);
        // The aborted connection tells the client that the archive is incomplete.
        if (error) log.warn({ run_id: found.run.runId, error: messageOf(error) }, 'Bundle download aborted.');
      });
      return new StreamedResponse(archive, {
        'content-type': 'application/gzip',
        'content-disposition': `attachment; filename="run-${found.run.runId}.tar.gz"`,
      });
    },
  });
}
