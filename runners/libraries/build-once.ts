/**
 * Makes an entry of the cache by a program, once: whoever asks meanwhile, in this engine or another, waits
 * for the same process, also after a kill of the engine that started it.
 */
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { undefinedIfMissing, readHead, statIfExists } from '../../engine/read-file.ts';
import type { Exit } from '../contract.ts';
import { describeExit } from '../process/describe-exit.ts';
import { grantOwnership } from '../pool/directory-ownership.ts';
import { applyIsolation, type Isolation } from '../process/isolation.ts';
import { exec } from '../process/exec.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';
import {
  entryPathOf,
  touchEntry,
  cacheKeyOf,
  publishEntry,
  toolDirectories,
  type CacheSection,
} from './library-cache.ts';
import { readInstallErrors } from './install-errors.ts';

/** Where entries are made, and in which environment. */
export interface BuildContext {
  /** The directory of the cache. */
  readonly root: string;
  /** The whole environment of the programs. */
  readonly environment: Readonly<Record<string, string>>;
  /** What of it comes from the cluster: entries that are made with it are for those that have the same. */
  readonly clusterVariables: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  /** The mark of the processes. */
  readonly markerDirectory: string;
  readonly stopGraceMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface BuildSpec {
  readonly section: CacheSection;
  /** What the entry is made from: two that are made from the same have one key. */
  readonly key: string;
  /**
   * The program that fills `draft`, a directory. It may put what it needs into `bench`, which is there, too;
   * it may be asked more than once, and must answer the same.
   */
  readonly command: (draft: string, bench: string) => Promise<readonly [string, ...string[]]>;
  readonly environment?: Readonly<Record<string, string>>;
}

export type BuildResult =
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
export async function buildOnce(
  shop: BuildContext,
  { key: written, ...rest }: BuildSpec,
): Promise<BuildResult> {
  // Whoever chooses the programs chooses what they make: that is for nobody else.
  const making: BuildSpec = {
    ...rest,
    key:
      Object.keys(shop.clusterVariables).length === 0
        ? written
        : cacheKeyOf(written, Object.entries(shop.clusterVariables).toSorted()),
  };
  const entry = entryPathOf(shop.root, making.section, making.key);
  for (let losses = 0; ;) {
    if (await touchEntry(entry, shop.now())) return { kind: 'made', entry };
    if (shop.signal.aborted) return { kind: 'stopped' };
    const bench = await findBuildDirectory(entryPathOf(shop.root, 'tries', making.key));
    const draft = join(bench, 'draft');
    const exit = await runBuild(shop, making, bench, draft);
    switch (exit.kind) {
      case 'exited': {
        if (exit.code !== 0)
          return failBuild(
            (await readInstallErrors(bench)) || `it ended with ${describeExit(exit.code)}`,
            draft,
          );
        if ((await lstat(draft).catch(undefinedIfMissing))?.isSymbolicLink() === true)
          return failBuild('its directory was replaced by a link.', draft);
        const made = await publishEntry(draft, entry, shop.isolation.user !== undefined);
        // Nobody needs it any more; whoever still attends it finds the entry.
        await rm(bench, { recursive: true, force: true });
        // Unless somebody else is at work there.
        await rmdir(dirname(bench)).catch(() => undefined);
        if (made) return { kind: 'made', entry };
        break;
      }
      case 'flooded':
        return failBuild(exit.message, draft);
      case 'lost':
        losses += 1;
        if (losses >= lossesMax) return failBuild(exit.message, draft);
        // Nobody attends it again.
        await writeFileAtomically(join(bench, 'stopped'), '').catch(undefinedIfMissing);
        break;
      case 'stopped':
        break;
      default:
        return exit satisfies never;
    }
  }
}

async function runBuild(shop: BuildContext, making: BuildSpec, bench: string, draft: string): Promise<Exit> {
  const temporary = join(bench, 'tmp');
  for (const made of [draft, temporary]) await mkdir(made, { recursive: true });
  // Made while this one looked for its bench.
  if (await touchEntry(entryPathOf(shop.root, making.section, making.key), shop.now()))
    return { kind: 'exited', code: 0 };
  const program = {
    argv: await making.command(draft, bench),
    env: { ...shop.environment, ...making.environment },
  };
  const { user } = shop.isolation;
  if (user !== undefined) await grantOwnership(bench, user);
  const own = [bench, ...toolDirectories.map((name) => join(shop.root, name))];
  return exec(
    {
      directory: bench,
      attemptDirectory: shop.markerDirectory,
      cwd: bench,
      stopGraceMs: shop.stopGraceMs,
      logBytesMax,
      ...applyIsolation(shop.isolation, program, { temporary, cwd: bench, writable: own }),
    },
    shop.signal,
  );
}

async function failBuild(message: string, draft: string): Promise<BuildResult> {
  await rm(draft, { recursive: true, force: true });
  return { kind: 'failed', message };
}

/**
 * The directory of the try that is under way, or has made it and waits to be taken; else that of a new one.
 */
async function findBuildDirectory(tries: string): Promise<string> {
  const names = (await readdir(tries).catch(undefinedIfMissing)) ?? [];
  const last = Math.max(0, ...names.map(Number).filter(Number.isSafeInteger));
  const bench = join(tries, String(last));
  return last > 0 && !(await isAbandoned(bench)) ? bench : join(tries, String(last + 1));
}

async function isAbandoned(bench: string): Promise<boolean> {
  const { text, bytes } = await readHead(join(bench, 'exit'), 16);
  if (bytes > 0) return text !== '0\n' || (await statIfExists(join(bench, 'draft'))) === undefined;
  return (
    (await statIfExists(join(bench, 'stopped'))) !== undefined ||
    (await readHead(join(bench, 'pid'), 64)).text.startsWith('stopped')
  );
}
