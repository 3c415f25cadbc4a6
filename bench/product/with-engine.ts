/** Runs a measurement against an engine with the no-op task kind, and removes everything afterwards. */
import { fileURLToPath } from 'node:url';
import {
  createTemporaryDirectory,
  startEngineUnderTest,
  type CpuSeconds,
  type EngineUnderTest,
} from '../engine-under-test.ts';
import { connectTo, type HttpClient } from './http-client.ts';

export interface MeasuredEngine {
  readonly engine: EngineUnderTest;
  readonly client: HttpClient;
  readonly dataDirectory: string;
}

const noOpPlugin = fileURLToPath(new URL('../plugins/no-op.mjs', import.meta.url));

/**
 * @param connections of the client
 * @param variables settings in addition to those of every benchmark
 */
export async function withEngine(
  path: string,
  connections: number,
  work: (measured: MeasuredEngine) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const directory = await createTemporaryDirectory();
  const engine = await startEngineUnderTest(directory.path, path, {
    RUNYARD_PLUGINS: noOpPlugin,
    ...variables,
  });
  const client = connectTo(engine, await createTokens(engine), connections);
  try {
    await work({ engine, client, dataDirectory: directory.path });
  } finally {
    client.close();
    await engine.stop();
    await directory.remove();
  }
}

/** Tokens of one client: together they allow more requests a second than the engine answers. */
const tokenCount = 16;

async function createTokens(engine: EngineUnderTest): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < tokenCount)
    tokens.push(String((await engine.call('POST', '2.0/token/create', { comment: 'bench' }))['token_value']));
  return tokens;
}

export interface CpuCost {
  readonly engineMs: number;
  readonly postgresMs: number;
  readonly tasksMs: number;
  readonly totalMs: number;
}

/** Returns the processor time between two readings, per run. */
export function costPerRun(before: CpuSeconds, after: CpuSeconds, runs: number): CpuCost {
  const per = (part: keyof CpuSeconds): number => ((after[part] - before[part]) * 1_000) / runs;
  const [engineMs, postgresMs, tasksMs] = [per('engine'), per('postgres'), per('tasks')];
  return { engineMs, postgresMs, tasksMs, totalMs: engineMs + postgresMs + tasksMs };
}
