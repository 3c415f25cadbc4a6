/** `runyard open`: opens the console in the browser. */
import openInBrowser from 'open';
import { findJob } from '../client/find-job.ts';
import { RunDocument } from '../client/service-documents.ts';
import { printLine } from './print-line.ts';
import { callService, serviceUrl } from './service-client.ts';

/** What is opened; the console itself without any. */
export interface OpenOptions {
  readonly run?: number;
  readonly job?: string;
  /** Whether the address is only printed. */
  readonly print?: true;
}

/** Opens a page of the console and prints its address. Resolves with the exit code. @throws CommandError */
export async function openConsole({ run, job, print }: OpenOptions): Promise<number> {
  const address = await addressOf(run, job);
  printLine(address);
  // Without a desktop, the address on the screen has to do.
  if (print !== true) await openInBrowser(address).catch(() => undefined);
  return 0;
}

async function addressOf(run: number | undefined, job: string | undefined): Promise<string> {
  if (run !== undefined) {
    const found = await callService(RunDocument, 'GET', `/jobs/runs/get?run_id=${run}`, { version: '2.1' });
    return found.run_page_url ?? `${await serviceUrl()}/#job/run/${run}`;
  }
  const url = await serviceUrl();
  return job === undefined ? url : `${url}/#job/${(await findJob(job)).job_id}`;
}
