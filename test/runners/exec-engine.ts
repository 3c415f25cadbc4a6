/** Stands for an engine in the tests of exec: runs one process by its spec (JSON, first argument) and prints how it ended. */
import { exec, type ProcessSpec } from '../../runners/process.ts';

const spec: ProcessSpec = JSON.parse(process.argv[2] ?? '{}');
process.stdout.write('ready\n');
const exit = await exec(spec, new AbortController().signal);
process.stdout.write(`${JSON.stringify(exit)}\n`);
