/**
 * Logs of executors: each is with the worker that runs it, which shows it on a page. The end of each log is copied to
 * this machine when the application ends.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { executorLogDirectory } from '../../engine/run/spark-application.ts';
import type { SparkExecutor } from '../../engine/run/spark-application.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';
import { createEventLogReader } from './event-logs.ts';
import { eventDirectoryOf } from './spark-environment.ts';

const logBytesMax = 2 ** 20;
const executorsMax = 50;
const timeoutMs = 3_000;

/**
 * Copies the logs of the executors of a driver into its directory, as `<executor id>.<stream>`. Logs that cannot
 * be read, and those of masters other than a standalone cluster, are left out.
 * @param directory directory of the driver, or of the attempt that is its own driver
 */
export async function collectExecutorLogs(directory: string): Promise<void> {
  const application = await createEventLogReader().read(eventDirectoryOf(directory));
  const executors = [...(application?.executors.values() ?? [])].slice(-executorsMax);
  const logs = executors.flatMap((executor) => logsOf(executor));
  if (logs.length === 0) return;
  const target = join(directory, executorLogDirectory);
  await mkdir(target, { recursive: true, mode: 0o700 });
  await Promise.all(
    logs.map(async ({ name, url }) => {
      const text = await readLog(url).catch(() => undefined);
      if (text !== undefined) await writeFileAtomically(join(target, name), text);
    }),
  );
}

interface ExecutorLog {
  readonly name: string;
  readonly url: URL;
}

/** Returns the addresses of the texts behind the pages; the event log, which has them, may be forged. */
function logsOf({ id, logUrls }: SparkExecutor): ExecutorLog[] {
  return Object.entries(logUrls).flatMap(([stream, page]) => {
    if (!/^(?:stdout|stderr)$/.test(stream) || !/^\d{1,9}$/.test(id)) return [];
    if (!URL.canParse(page)) return [];
    const { protocol, host, searchParams } = new URL(page);
    const application = searchParams.get('appId') ?? '';
    if (protocol !== 'http:' || !/^app-\d+-\d+$/.test(application)) return [];
    const query = `appId=${application}&executorId=${id}&logType=${stream}&byteLength=${logBytesMax}`;
    return [{ name: `${id}.${stream}`, url: new URL(`http://${host}/log/?${query}`) }];
  });
}

/** Reads the end of a log. Undefined for an answer that is none of a worker. */
async function readLog(url: URL): Promise<string | undefined> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  const [header] = /^==== Bytes \d+-\d+ of \d+ of \S+ ====\n/.exec(text) ?? [];
  return response.ok && header !== undefined ? text.slice(header.length) : undefined;
}
