/** Measures the time until the service is ready: first start (initdb and migrations) and later starts. */
import { createTemporaryDirectory, startEngineUnderTest } from './engine-under-test.ts';
import { summarizeMs } from './summarize.ts';

const firstStarts: number[] = [];
const nextStarts: number[] = [];
for (let round = 0; round < 5; round += 1) {
  const directory = await createTemporaryDirectory();
  for (const times of [firstStarts, nextStarts]) {
    const engine = await startEngineUnderTest(directory.path, '/usr/bin:/bin');
    times.push(engine.startMs);
    await engine.stop();
  }
  await directory.remove();
}
process.stdout.write(
  `first start to ready: ${summarizeMs(firstStarts)}\nnext start to ready:  ${summarizeMs(nextStarts)}\n`,
);
