/** Runner of pipeline tasks: runs one update of a declarative pipeline in its own process (spec 2.7). */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { messageOf, ServiceError } from '../../engine/errors.ts';
import { parsePreparedUpdate, updateFileNames, type UpdatePlan } from '../../engine/pipeline/update-plan.ts';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { defineRunner } from '../built-in-runner.ts';
import type { Exit, RunnerContext, TaskOutcome } from '../contract.ts';
import { describeExit } from '../process/describe-exit.ts';
import { countKernelKills, findOomKill } from '../process/oom-kill.ts';
import { eventDirectoryOf } from '../spark/spark-environment.ts';
import { newestVersion, finishPublish } from './versions.ts';

const FailureFile = Type.Object({
  error: Type.String(),
  file: Type.Optional(Type.String()),
  rowsQuery: Type.Optional(Type.String()),
});
const failureBytesMax = 2 ** 20;
/** Heap for JavaScript; the memory limit of DuckDB is in the plan. */
const heapMb = 384;

/**
 * Runs `pipeline_task`. The coordinator writes the update plan before the attempt starts. An attempt succeeds
 * when it has published its update, however its process ended.
 */
export const pipelineRunner = defineRunner('pipeline_task', async (_task, context) => {
  const file = join(context.directory, updateFileNames.order);
  const order = parsePreparedUpdate((await readHead(file, Number.MAX_SAFE_INTEGER)).text);
  if (order === undefined) return failTask(context, 'The plan of this update is missing or unreadable.');
  if ('refused' in order) return failTask(context, order.refused);
  await mkdir(order.storage.directory, { recursive: true, mode: 0o700 });
  const spark = context.cluster?.spark;
  const killsBefore = countKernelKills();
  const exit = await context.exec({
    argv: [
      process.execPath,
      `--max-old-space-size=${heapMb}`,
      fileURLToPath(new URL('./update-process.ts', import.meta.url)),
      file,
      ...(spark === undefined ? [] : [spark.python, eventDirectoryOf(spark.driver?.directory ?? '')]),
    ],
  });
  return updateOutcomeOf(exit, order, context, killsBefore);
});

async function updateOutcomeOf(
  exit: Exit,
  order: UpdatePlan,
  context: RunnerContext,
  killsBefore: number | undefined,
): Promise<TaskOutcome> {
  if (exit.kind === 'exited' && exit.code === 0) return { kind: 'succeeded' };
  try {
    // A process that was killed after its publication has succeeded.
    if (
      order.compute === undefined &&
      !order.request.validateOnly &&
      (await newestVersion(order.storage.directory))?.manifest.update_id === order.updateId
    ) {
      await finishPublish(order.storage.directory);
      return { kind: 'succeeded' };
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return failTask(context, messageOf(error));
  }
  switch (exit.kind) {
    case 'stopped':
      return { kind: 'stopped' };
    case 'lost':
      return { kind: 'lost', message: exit.message };
    case 'flooded':
      return failTask(context, exit.message);
    case 'exited': {
      const failure = tryParseJson(
        (await readHead(join(context.directory, updateFileNames.failure), failureBytesMax)).text,
      );
      if (Check(FailureFile, failure)) return failTask(context, failure.error, failure);
      return failExit(context, exit.code, killsBefore);
    }
    default:
      return exit satisfies never;
  }
}

/** Ends an attempt whose process has ended without a reason. */
async function failExit(
  context: RunnerContext,
  code: number,
  killsBefore: number | undefined,
): Promise<TaskOutcome> {
  // Spark publishes each table as it completes it.
  const isWhole = context.cluster === undefined;
  const error = `The process of the update ended with ${describeExit(code)}.${isWhole ? ' Nothing was published.' : ''}`;
  await context.writeOutput({ error });
  const oomKill = await findOomKill(context.directory, code, killsBefore);
  return {
    kind: 'failed',
    message: error,
    failure: { kind: 'exit', program: 'process of the update', code, error, lastLines: [], oomKill },
  };
}

async function failTask(
  context: RunnerContext,
  message: string,
  { file, rowsQuery }: { readonly file?: string; readonly rowsQuery?: string } = {},
): Promise<TaskOutcome> {
  await context.writeOutput({ error: message });
  const [, path, line] = /^(\/[^\n]*?), line (\d+), column \d+: /.exec(message) ?? [];
  const at = path === undefined ? { file } : { file: path, line: Number(line) };
  return {
    kind: 'failed',
    message,
    failure: {
      kind: 'message',
      message,
      // Refusals and faults of the storage have no place in the files of the pipeline.
      ...(at.file !== undefined && { origin: 'user code' as const }),
      at,
      rowsQuery,
    },
  };
}
