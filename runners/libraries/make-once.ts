/**
 * Makes an entry of the cache by a program, once: whoever asks meanwhile, in this engine or another, waits
 * for the same process, also after a kill of the engine that started it.
 */
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { undefinedIfMissing, readHead, statIfExists } from '../../engine/read-file.ts';
import type { Exit } from '../contract.ts';
import { describeExit } from '../process/describe-exit.ts';
import { handOver } from '../pool/directory-ownership.ts';
import { isolated, type Isolation } from '../process/isolation.ts';
import { exec } from '../process/exec.ts';
import { writeInOneStep } from '../process/pinned-command.ts';
import { entryOf, isKept, keyOf, publish, toolDirectories, type CachePart } from './cache.ts';
import { lastWords } from './last-words.ts';

/** Where entries are made, and in which environment. */
export interface Workshop {
  /** The directory of the cache. */
  readonly root: string;
  /** The whole environment of the programs. */
  readonly environment: Readonly<Record<string, string>>;
  /** What of it comes from the cluster: entries that are made with it are for those that have the same. */
  readonly ofCluster: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  /** The mark of the processes. */
  readonly directory: string;
  readonly stopGraceMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface Making {
  readonly part: CachePart;
  /** What the entry is made from: two that are made from the same have one key. */
  readonly key: string;
  /**
   * The program that fills `draft`, a directory. It may put what it needs into `bench`, which is there, too;
   * it may be asked more than once, and must answer the same.
   */
  readonly command: (draft: string, bench: string) => Promise<readonly [string, ...string[]]>;
  readonly environment?: Readonly<Record<string, string>>;
}

export type Made =
  | { readonly kind: 'made'; readonly entry: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };

/** Far more than an installer says. */
const logBytesMax = 64 * 2 ** 20;
/**
 * How often a process may vanish without a word before that is a failure: its machine may have been
 * restarted.
 */
const lossesMax = 3;

/** The entry, made now or before. Processes that others ended are started again. */
export async function makeOnce(shop: Workshop, { key: written, ...rest }: Making): Promise<Made> {
  // Whoever chooses the programs chooses what they make: that is for nobody else.
  const making: Making = {
    ...rest,
    key:
      Object.keys(shop.ofCluster).length === 0
        ? written
        : keyOf(written, Object.entries(shop.ofCluster).toSorted()),
  };
  const entry = entryOf(shop.root, making.part, making.key);
  for (let losses = 0; ;) {
    if (await isKept(entry, shop.now())) return { kind: 'made', entry };
    if (shop.signal.aborted) return { kind: 'stopped' };
    const bench = await currentTry(entryOf(shop.root, 'tries', making.key));
    const draft = join(bench, 'draft');
    const exit = await attend(shop, making, bench, draft);
    switch (exit.kind) {
      case 'exited': {
        if (exit.code !== 0)
          return failed((await lastWords(bench)) || `it ended with ${describeExit(exit.code)}`, draft);
        if ((await lstat(draft).catch(undefinedIfMissing))?.isSymbolicLink() === true)
          return failed('its directory was replaced by a link.', draft);
        const made = await publish(draft, entry, shop.isolation.user !== undefined);
        // Nobody needs it any more; whoever still attends it finds the entry.
        await rm(bench, { recursive: true, force: true });
        // Unless somebody else is at work there.
        await rmdir(dirname(bench)).catch(() => undefined);
        if (made) return { kind: 'made', entry };
        break;
      }
      case 'flooded':
        return failed(exit.message, draft);
      case 'lost':
        losses += 1;
        if (losses >= lossesMax) return failed(exit.message, draft);
        // Nobody attends it again.
        await writeInOneStep(join(bench, 'stopped'), '').catch(undefinedIfMissing);
        break;
      case 'stopped':
        break;
      default:
        return exit satisfies never;
    }
  }
}

async function attend(shop: Workshop, making: Making, bench: string, draft: string): Promise<Exit> {
  const temporary = join(bench, 'tmp');
  for (const made of [draft, temporary]) await mkdir(made, { recursive: true });
  // Made while this one looked for its bench.
  if (await isKept(entryOf(shop.root, making.part, making.key), shop.now()))
    return { kind: 'exited', code: 0 };
  const program = {
    argv: await making.command(draft, bench),
    env: { ...shop.environment, ...making.environment },
  };
  const { user } = shop.isolation;
  if (user !== undefined) await handOver(bench, user);
  const own = [bench, ...toolDirectories.map((name) => join(shop.root, name))];
  return exec(
    {
      directory: bench,
      attemptDirectory: shop.directory,
      cwd: bench,
      stopGraceMs: shop.stopGraceMs,
      logBytesMax,
      ...isolated(shop.isolation, program, { temporary, cwd: bench, own }),
    },
    shop.signal,
  );
}

async function failed(message: string, draft: string): Promise<Made> {
  await rm(draft, { recursive: true, force: true });
  return { kind: 'failed', message };
}

/**
 * The directory of the try that is under way, or has made it and waits to be taken; else that of a new one.
 */
async function currentTry(tries: string): Promise<string> {
  const names = (await readdir(tries).catch(undefinedIfMissing)) ?? [];
  const last = Math.max(0, ...names.map(Number).filter(Number.isSafeInteger));
  const bench = join(tries, String(last));
  return last > 0 && !(await isSpent(bench)) ? bench : join(tries, String(last + 1));
}

async function isSpent(bench: string): Promise<boolean> {
  const { text, bytes } = await readHead(join(bench, 'exit'), 16);
  if (bytes > 0) return text !== '0\n' || (await statIfExists(join(bench, 'draft'))) === undefined;
  return (
    (await statIfExists(join(bench, 'stopped'))) !== undefined ||
    (await readHead(join(bench, 'pid'), 64)).text.startsWith('stopped')
  );
}
