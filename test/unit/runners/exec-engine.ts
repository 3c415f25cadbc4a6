/**
 * Engine of the exec tests: runs the process of a spec (JSON, first argument) and prints its exit. SIGUSR2
 * stops the process.
 */
import { exec, type ProcessSpec } from '../../../runners/process/exec.ts';
import { createSpawner } from '../../../runners/process/spawner.ts';

const spec: ProcessSpec = JSON.parse(process.argv[2] ?? '{}');
process.stdout.write('ready\n');
const stop = new AbortController();
process.on('SIGUSR2', () => stop.abort());
const exit = await exec(spec, stop.signal, createSpawner().start);
process.stdout.write(`${JSON.stringify(exit)}\n`);
