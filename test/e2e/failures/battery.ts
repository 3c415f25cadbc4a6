/** Injects all faults of the battery into one service, and collects what it says about them. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultInventory } from '../../../engine/cluster/inventory.ts';
import type { ResponseBody } from '../../harness/api-client.ts';
import { eventually } from '../../harness/eventually.ts';
import { putWorkspaceFile } from '../../harness/pipelines.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { startHttpReceiver, type HttpReceiver } from '../../harness/webhook-receiver.ts';
import { findProgram } from '../../unit/runners/test-context.ts';
import type { Fault, FaultService, Requirement } from './fault.ts';
import { createMemoryGroup, removeMemoryGroup } from './memory-group.ts';

const recipient = 'ops@example.org';

/** Everything that was said about a fault. */
export interface Told {
  readonly runId: number;
  readonly message: string;
  readonly explanation: ResponseBody;
  readonly output: string;
  readonly mail: string;
  readonly chat: string;
}

export interface Battery {
  readonly service: TestService;
  readonly told: ReadonlyMap<string, Told | Error>;
  stop(): Promise<void>;
}

const pluginSource = `
export const plugin = {
  contract: 1,
  kind: 'battery_task',
  needsCluster: false,
  schema: { type: 'object', properties: { do: { type: 'string' } } },
  async run(task) {
    if (task.do === 'throw') throw new Error('no such table');
    if (task.do === 'fail') return { kind: 'failed', message: 'the table is locked' };
    if (task.do === 'exit') process.exit(3);
    if (task.do === 'block') for (;;) ;
    return undefined;
  },
};
`;

const javaSource = `
public class Faults {
  public static void main(String[] words) {
    switch (words[0]) {
      case "throw" -> throw new IllegalStateException("no rows");
      case "exit" -> { System.out.println("bad rows: 3"); System.exit(9); }
      default -> { byte[][] all = new byte[1000][]; for (int i = 0; i < 1000; i++) all[i] = new byte[1 << 20]; }
    }
  }
}
`;

/** Returns the requirements that this machine does not meet. */
export async function findMissing(): Promise<ReadonlySet<Requirement>> {
  const missing = new Set<Requirement>();
  if ((await findProgram('java')) === undefined) missing.add('java').add('javac');
  if ((await findProgram('javac')) === undefined) missing.add('javac');
  const directory = mkdtempSync(join(tmpdir(), 'runyard-mount-'));
  try {
    mountSmallDisk(directory);
    execFileSync('umount', [directory]);
  } catch {
    missing.add('tmpfs');
  }
  rmSync(directory, { recursive: true, force: true });
  const group = createMemoryGroup(`runyard-probe-${process.pid}`);
  if (group === undefined) missing.add('memory group');
  else removeMemoryGroup(group);
  try {
    closeSync(openSync('/dev/kmsg', 'r'));
  } catch {
    missing.add('kernel log').add('memory group');
  }
  return missing;
}

/** Mounts a file system of 1 MB. @throws Error where that is not permitted */
export function mountSmallDisk(directory: string, size = '1m'): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory], { stdio: 'ignore' });
}

/** Starts the service, injects all faults, and waits until every message was sent. */
export async function injectFaults(
  faults: readonly Fault[],
  missing: ReadonlySet<Requirement>,
): Promise<Battery> {
  const smallDisk = mkdtempSync(join(tmpdir(), 'runyard-small-'));
  if (!missing.has('tmpfs')) mountSmallDisk(smallDisk);
  const pluginDirectory = mkdtempSync(join(tmpdir(), 'runyard-plugin-'));
  writeFileSync(join(pluginDirectory, 'battery.mjs'), pluginSource);
  const memoryGroup = createMemoryGroup(`runyard-battery-${process.pid}`);
  const receiver = await startHttpReceiver();
  const service = await startBatteryService(pluginDirectory, { smallDisk, memoryGroup });
  const context = await createContext(service, receiver, smallDisk);
  if (!missing.has('javac')) await buildJar(service, pluginDirectory);
  const told = new Map<string, Told | Error>();
  await Promise.all(
    faults.map(async (fault) => {
      told.set(fault.name, await inject(context, service, fault).catch(toError));
    }),
  );
  return {
    service,
    told,
    async stop() {
      await service.stop();
      await receiver.close();
      if (!missing.has('tmpfs')) execFileSync('umount', [smallDisk]);
      if (memoryGroup !== undefined) removeMemoryGroup(memoryGroup);
      for (const directory of [smallDisk, pluginDirectory])
        rmSync(directory, { recursive: true, force: true });
    },
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

async function startBatteryService(
  pluginDirectory: string,
  { smallDisk, memoryGroup = '' }: { readonly smallDisk: string; readonly memoryGroup: string | undefined },
): Promise<TestService> {
  const service = await startTestService({
    webhookAllowPrivate: true,
    plugins: [{ specifier: './battery.mjs', baseDirectory: pluginDirectory }],
    clusters: {
      ...defaultInventory,
      pools: { pair: { capacity: 2 }, busy: { capacity: 2 } },
      nodeTypes: {
        ...defaultInventory.nodeTypes,
        tiny: { memory_mb: 512, num_cores: 1, category: 'General Purpose', description: '1 core' },
      },
    },
    faults: [{ fault: 'start_failure', cluster: 'unstartable' }],
    taskEnvironment: { PATH: process.env['PATH'] ?? '', SMALL_DISK: smallDisk, MEMORY_GROUP: memoryGroup },
  });
  return service;
}

async function createContext(
  service: TestService,
  receiver: HttpReceiver,
  smallDisk: string,
): Promise<FaultService> {
  const { id } = await service.callOk('POST', '2.0/notification-destinations', {
    display_name: 'chat',
    config: { slack: { url: `${receiver.url}/chat` } },
  });
  return {
    ...service,
    smallDisk,
    notifications: {
      email_notifications: { on_failure: [recipient] },
      webhook_notifications: { on_failure: [{ id }] },
    },
    async callFromConsole(path, input) {
      const response = await fetch(`${service.url}/api/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'x-runyard-client': 'console' },
        body: JSON.stringify(input),
      });
      if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
    },
  };
}

async function buildJar(service: TestService, directory: string): Promise<void> {
  mkdirSync(join(directory, 'classes'));
  writeFileSync(join(directory, 'Faults.java'), javaSource);
  execFileSync('javac', ['-d', 'classes', 'Faults.java'], { cwd: directory });
  execFileSync('jar', ['cf', 'main.jar', '-C', 'classes', '.'], { cwd: directory });
  await service.callOk('POST', '2.0/managed_fs/put', {
    path: '/main.jar',
    contents: readFileSync(join(directory, 'main.jar')).toString('base64'),
  });
}

async function inject(context: FaultService, service: TestService, fault: Fault): Promise<Told> {
  await putFiles(service, fault.files ?? {});
  const runId = await (fault.start?.(context) ?? startJob(context, fault));
  await fault.act?.(context, runId);
  const ended = await service.waitForRunEnd(runId);
  const run = await waitForLastAttempt(service, ended);
  return collect(service, fault, run);
}

/** Files of several faults are the same: the first upload is enough. */
async function putFiles(
  service: TestService,
  files: Readonly<Record<string, string | readonly string[]>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    if (typeof content !== 'string') await service.putNotebook(path, content);
    else if (path.startsWith('pipeline:'))
      await service.callOk('POST', '2.0/pipelines', {
        name: path.slice('pipeline:'.length),
        libraries: [{ glob: { include: content } }],
      });
    else if (/^\/(?:nb|flow)\//.test(path)) await putWorkspaceFile(service, path, content);
    else await service.putFile(path, content);
  }
}

let jobs = 0;

async function startJob({ callOk, notifications }: FaultService, { job, task }: Fault): Promise<number> {
  jobs += 1;
  const settings: ResponseBody = { name: `battery-${jobs}`, ...notifications, ...job };
  // The message about one task is sent to its own recipients.
  if (task !== undefined)
    settings.tasks = settings.tasks.map((one: ResponseBody) =>
      one.task_key === task ? { ...one, ...notifications } : one,
    );
  const { job_id: jobId } = await callOk('POST', '2.0/jobs/create', settings);
  return (await callOk('POST', '2.0/jobs/run-now', { job_id: jobId })).run_id;
}

/** A run with retries has further attempts, each a run. */
async function waitForLastAttempt(service: TestService, run: ResponseBody): Promise<ResponseBody> {
  const last = run.explanation?.attempts?.at(-1)?.run_id ?? run.run_id;
  return last === run.run_id ? run : waitForLastAttempt(service, await service.waitForRunEnd(last));
}

async function collect(service: TestService, fault: Fault, run: ResponseBody): Promise<Told> {
  const taskRun = run.tasks.findLast((one: ResponseBody) => one.task_key === fault.task);
  const subject = taskRun ?? run;
  const explanation = subject.explanation ?? {};
  const outputId = taskRun?.run_id ?? explanation.place?.run_id ?? run.tasks[0]?.run_id ?? run.run_id;
  const output = await service.callOk('GET', '2.1/jobs/runs/get-output', { run_id: outputId });
  const [mail, chat] = await Promise.all(
    (['email', 'webhook'] as const).map((channel) =>
      fault.isQuiet === true ? '' : findMessage(service, subject.run_id, channel),
    ),
  );
  return {
    runId: subject.run_id,
    message: subject.state.state_message,
    explanation,
    output: `${output.metadata.state.state_message}\n${textOf(output.explanation)}`,
    mail: mail ?? '',
    chat: chat ?? '',
  };
}

/** Returns all texts of a document. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null
    ? Object.values(value).map(textOf).join('\n')
    : String(value);
}

/** Waits for the message about a run, and returns its text. */
async function findMessage(
  service: TestService,
  runId: number,
  channel: 'email' | 'webhook',
): Promise<string | undefined> {
  const row = await eventually(
    () =>
      service.database.db
        .selectFrom('deliveries')
        .select(['message', 'state'])
        .where('run_id', '=', runId)
        .where('channel', '=', channel)
        .where('event', '=', 'on_failure')
        .executeTakeFirst(),
    { until: (found) => found?.state === 'delivered' },
  );
  const { message } = row ?? {};
  if (message === undefined || message === null) return undefined;
  if (message.kind === 'mail') return `${message.subject}\n${message.text}`;
  return textOf(JSON.parse(message.body))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
