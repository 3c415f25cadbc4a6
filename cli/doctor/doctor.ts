/** `runyard doctor`: says what this machine can run, what is missing, and what to do about it. */
import { readConfig } from '../config.ts';
import { checks } from './checks.ts';
import type { Finding } from './check-result.ts';
import { messageOf } from '../../engine/errors.ts';
import { inOneLine, say } from '../commands/say.ts';

interface Line extends Finding {
  readonly name: string;
}

/**
 * Prints one line a check, or one JSON object. Resolves with 1 when the engine itself cannot run, else 0.
 * @throws ConfigError
 */
export async function doctor(asJson: boolean): Promise<number> {
  const config = readConfig();
  const lines = await Promise.all(
    checks.map(async ({ name, look }): Promise<Line> => ({ name, ...(await look(config).catch(broken)) })),
  );
  const ok = lines.every((line) => line.state !== 'broken');
  if (asJson) {
    say(JSON.stringify({ ok, checks: lines }, undefined, 2));
  } else {
    lines.map(asText).forEach(say);
    say(ok ? 'Runyard can run here.' : 'Runyard cannot run here: see the lines marked "broken".');
  }
  return ok ? 0 : 1;
}

function broken(error: unknown): Finding {
  return { state: 'broken', found: inOneLine(messageOf(error)) };
}

function asText({ name, state, found, advice }: Line): string {
  const line = `${state.padEnd(8)}${name.padEnd(15)} ${found}`;
  return advice === undefined ? line : `${line}. ${advice}`;
}
