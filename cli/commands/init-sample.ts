/** `runyard init sample`: creates the job of the weather example, which every installation can run. */
import { createDemoClient } from '../demo/demo-client.ts';
import { installExample, weatherExample } from '../demo/demo-job.ts';
import { jobList } from '../client/find-job.ts';
import { readPages, takeItems } from '../client/pages.ts';
import { printDiagnostic, printLine } from './print-line.ts';
import { resolveService } from './service-client.ts';

const sampleName = 'sample';

/** Creates the sample job, once, and prints its id. Resolves with the exit code. @throws CommandError */
export async function initSample(): Promise<number> {
  const [existing] = await takeItems(readPages(jobList, { name: sampleName }), 1);
  if (existing !== undefined) {
    printLine(String(existing.job_id));
    printDiagnostic(`Job ${existing.job_id} is the sample job; it was created before.`);
    return 0;
  }
  const { url, token } = await resolveService();
  const jobId = await installExample(createDemoClient(url, token), weatherExample, sampleName);
  printLine(String(jobId));
  printDiagnostic('The sample job has four tasks. Run it: runyard run sample --follow');
  return 0;
}
