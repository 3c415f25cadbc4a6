/** `runyard doctor`: checks what this machine can run, and prints what is missing and how to fix it. */
import { readConfig } from '../config.ts';
import { checks } from './checks.ts';
import type { CheckResult } from './check-result.ts';
import { messageOf } from '../../engine/errors.ts';
import { toSingleLine, printLine } from '../commands/print-line.ts';

interface NamedCheckResult extends CheckResult {
  readonly name: string;
}

/**
 * Prints one line per check, or one JSON object. Resolves with 1 when the engine cannot start, else 0.
 * @throws ConfigError
 */
export async function runDoctor(asJson: boolean): Promise<number> {
  const config = readConfig();
  const lines = await Promise.all(
    checks.map(async ({ name, run }): Promise<NamedCheckResult> => ({
      name,
      ...(await run(config).catch(toBrokenResult)),
    })),
  );
  const ok = lines.every((line) => line.state !== 'broken');
  if (asJson) {
    printLine(JSON.stringify({ ok, checks: lines }, undefined, 2));
  } else {
    lines.map(renderResult).forEach(printLine);
    printLine(
      ok ? 'Runyard can run here.' : 'Runyard cannot run here: see the lines that begin with "broken".',
    );
  }
  return ok ? 0 : 1;
}

function toBrokenResult(error: unknown): CheckResult {
  return { state: 'broken', found: toSingleLine(messageOf(error)) };
}

function renderResult({ name, state, found, advice }: NamedCheckResult): string {
  const line = `${state.padEnd(8)}${name.padEnd(15)} ${found}`;
  return advice === undefined ? line : `${line}. ${advice}`;
}
