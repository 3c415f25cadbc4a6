/**
 * How long the service takes from its start to a ready answer: first start (initdb and migrations) and next
 * starts.
 */
import { freshDirectory, startUnderTest } from './engine-under-test.ts';
import { spread } from './spread.ts';

const first: number[] = [];
const next: number[] = [];
for (let round = 0; round < 5; round += 1) {
  const directory = await freshDirectory();
  for (const times of [first, next]) {
    const engine = await startUnderTest(directory.path, '/usr/bin:/bin');
    times.push(engine.startMs);
    await engine.stop();
  }
  await directory.remove();
}
process.stdout.write(`first start to ready: ${spread(first)}\nnext start to ready:  ${spread(next)}\n`);
