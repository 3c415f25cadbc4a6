/**
 * Stands for an engine in the tests of exec: runs one process by its spec (JSON, first argument) and prints
 * how it ended. SIGUSR2 asks it to stop the process.
 */
import { exec, type ProcessSpec } from '../../../runners/process/exec.ts';

const spec: ProcessSpec = JSON.parse(process.argv[2] ?? '{}');
process.stdout.write('ready\n');
const stop = new AbortController();
process.on('SIGUSR2', () => stop.abort());
const exit = await exec(spec, stop.signal);
process.stdout.write(`${JSON.stringify(exit)}\n`);
