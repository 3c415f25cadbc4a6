/** GET jobs/runs/bundle: everything that is known of a run, as one archive to hand on. */
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

/** Sends an archive that is made while it is sent: nothing of it is kept in memory or on the disk. */
export function getBundleOperation(ports: BundlePorts): Operation {
  const most = ports.limits.bundles;
  let open = 0;
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/bundle',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Download everything about a run',
    description:
      'A tar.gz with run.json (settings and states), events.json and, for every attempt of every task, tasks/<task_key>/attempt-<n>/ with stdout, stderr, output.json, notebook.html; ' +
      'missing.txt says what is not there, and why. Secrets are masked. Also of an active run: as it is at this moment. The id of a task run gives the run that it belongs to.',
    mediaType: 'application/gzip',
    request: Type.Object({ run_id: Type.Integer({ ...Id, description: 'The run, or a task run of it.' }) }),
    response: Type.String({ description: 'The archive.' }),
    async handle({ run_id: runId }, { log, shutdownSignal }) {
      const found = await ports.runs.find(runId);
      if (found === undefined) throw runNotFound(runId);
      const repairs = await ports.runs.listRepairs(found.run);
      if (open >= most)
        throw new ServiceError(
          'REQUEST_LIMIT_EXCEEDED',
          `This engine makes ${most} bundles at a time. Ask again when one of them is done.`,
          5,
        );
      open += 1;
      const source = Readable.from(createTarStream(createBundleFiles(ports, found, repairs)), {
        objectMode: false,
      });
      const stop = (): void => {
        source.destroy(new Error('The service stops.'));
      };
      shutdownSignal.addEventListener('abort', stop);
      const packed = pipeline(source, createGzip(), (error) => {
        open -= 1;
        shutdownSignal.removeEventListener('abort', stop);
        // Half a bundle is no bundle: its end is missing, and the receiver is told by the broken connection.
        if (error)
          log.warn({ run_id: found.run.runId, error: messageOf(error) }, 'A bundle was not sent to its end.');
      });
      return new StreamedResponse(packed, {
        'content-type': 'application/gzip',
        'content-disposition': `attachment; filename="run-${found.run.runId}.tar.gz"`,
      });
    },
  });
}
