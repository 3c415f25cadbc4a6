#!/usr/bin/env node
/** Command of the package: runs main.ts, with the packaged Node when the current Node is too old. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findProblem, nodeSuffices, packagedNode } from './preflight.mjs';

const problem = findProblem();
if (problem !== undefined) {
  process.stderr.write(`runyard: ${problem}\n`);
  process.exitCode = 1;
} else if (nodeSuffices) {
  await import('./main.ts');
} else {
  runWithPackagedNode();
}

function runWithPackagedNode() {
  const child = spawn(
    packagedNode,
    [fileURLToPath(new URL('./main.ts', import.meta.url)), ...process.argv.slice(2)],
    { stdio: 'inherit' },
  );
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // Ctrl-C already reaches every process of the terminal; a forwarded SIGINT would count as the second.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`runyard: ${packagedNode} does not run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}
