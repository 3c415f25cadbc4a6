/**
 * One task of each kind that can be run, for the suite that holds all of them against the runner contract.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { findProgram } from './test-context.ts';

/** What a task is to do: once and well, fail, or wait until it is stopped. */
export type TaskBehavior = 'well' | 'badly' | 'wait';

export interface TaskSample {
  readonly kind: string;
  /** Undefined where this machine lacks what the kind needs. */
  readonly task: ((deed: TaskBehavior) => Readonly<Record<string, unknown>>) | undefined;
  /** Files of managed_fs and of the workspace that its tasks name. */
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** True: the work is done by a process, which shows its environment in its log. */
  readonly usesProcess: boolean;
  /** What the failed task says, in its message or its output. */
  readonly failurePattern: RegExp;
  /** Bodies of its field that no schema would have let through. */
  readonly invalidBodies: readonly Readonly<Record<string, unknown>>[];
}

/** Every program: marks that it was here, shows its environment, and does as it is told. */
const python = `import os, sys, time
deed = sys.argv[1]
open(os.environ["RUNYARD_MANAGED_FS"] + "/here-" + os.environ["RUNYARD_RUN_ID"], "a").write("once\\n")
print("up", *sorted(f"{name}={value}" for name, value in os.environ.items()), sep="\\n", flush=True)
if deed == "badly": sys.exit(3)
if deed == "wait": time.sleep(600)
`;
const notebook = `# Databricks notebook source
import sys
sys.argv = ["", dbutils.widgets.get("deed")]
${python.replace('sys.exit(3)', 'raise ValueError("exit code 3")').replace('import os, sys, time', 'import os, time')}`;
const java = `import java.nio.file.*;
public class Main {
  public static void main(String[] args) throws Exception {
    Files.write(Paths.get(System.getenv("RUNYARD_MANAGED_FS"), "here-" + System.getenv("RUNYARD_RUN_ID")), "once\\n".getBytes(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    System.out.println("up");
    System.getenv().forEach((name, value) -> System.out.println(name + "=" + value));
    if (args[0].equals("badly")) System.exit(3);
    if (args[0].equals("wait")) Thread.sleep(600_000);
  }
}`;
const shell =
  'echo once >> "$RUNYARD_MANAGED_FS/here-$RUNYARD_RUN_ID"; echo up; env; case $1 in badly) exit 3;; wait) sleep 600;; esac';

/** Marks the requests that it gets as programs mark that they were here. */
async function startReceiver(mark: (runId: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    mark(/runyard-(\d+)/.exec(request.headers['idempotency-key']?.toString() ?? '')?.[1] ?? '');
    if (request.url === '/wait') return;
    response.statusCode = request.url === '/badly' ? 500 : 200;
    response.end('done');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

async function buildJar(): Promise<Buffer | undefined> {
  const [javac, jar] = [await findProgram('javac'), await findProgram('jar')];
  if (javac === undefined || jar === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'runyard-jar-'));
  try {
    writeFileSync(join(directory, 'Main.java'), java);
    execFileSync(javac, ['Main.java'], { cwd: directory });
    return execFileSync(jar, ['c', 'Main.class'], { cwd: directory });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param mark called with the id of the run that a request was sent for */
export async function createTaskSamples(mark: (runId: string) => void): Promise<readonly TaskSample[]> {
  const [jar, url] = await Promise.all([buildJar(), startReceiver(mark)]);
  const code3 = /exit code 3/;
  return [
    {
      kind: 'spark_python_task',
      usesProcess: true,
      failurePattern: code3,
      files: { 'a.py': python },
      task: (deed) => ({ python_file: 'managed_fs:/a.py', parameters: [deed] }),
      invalidBodies: [{}, { python_file: 7 }, { python_file: 'managed_fs:/gone.py' }],
    },
    {
      kind: 'notebook_task',
      usesProcess: true,
      failurePattern: /ValueError: exit code 3/,
      files: { 'nb.py': notebook },
      task: (deed) => ({ notebook_path: '/nb', base_parameters: { deed } }),
      invalidBodies: [{}, { notebook_path: '/gone' }],
    },
    {
      kind: 'spark_jar_task',
      usesProcess: true,
      failurePattern: code3,
      files: jar === undefined ? {} : { 'a.jar': jar },
      task:
        jar && ((deed) => ({ jar_uri: 'managed_fs:/a.jar', main_class_name: 'Main', parameters: [deed] })),
      invalidBodies: [{}, { main_class_name: 'Gone' }],
    },
    {
      kind: 'spark_submit_task',
      usesProcess: true,
      failurePattern: code3,
      files: { 'a.py': python },
      task: (deed) => ({ parameters: ['--name', 'x', 'managed_fs:/a.py', deed] }),
      invalidBodies: [{}, { parameters: ['--odd', 'x'] }],
    },
    {
      kind: 'shell_script_task',
      usesProcess: true,
      failurePattern: code3,
      files: {},
      task: (deed) => ({ script: shell, parameters: [deed] }),
      invalidBodies: [{}, { script: null }],
    },
    {
      kind: 'http_request_task',
      usesProcess: false,
      failurePattern: /answered with status 500/,
      files: {},
      task: (deed) => ({ url: `${url}/${deed}` }),
      invalidBodies: [{}, { url: 'http://[' }],
    },
  ];
}
