/**
 * Builds a cache entry with a program, once: callers in all engines wait for the same process, even
 * after a crash of the engine that started it.
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

/** Directories and environment of builds. */
export interface BuildContext {
  /** Directory of the cache. */
  readonly root: string;
  /** Complete environment of the programs. */
  readonly environment: Readonly<Record<string, string>>;
  /** The part of it set by the cluster; entries are shared between clusters with the same values. */
  readonly clusterVariables: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  /** Directory with which the processes are marked. */
  readonly markerDirectory: string;
  readonly stopGraceMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface BuildSpec {
  readonly section: CacheSection;
  /** Hash of the inputs of the entry. */
  readonly key: string;
  /**
   * Returns the command that fills the directory `draft`. It can use the directory `workspace` for other
   * files. Must be idempotent.
   */
  readonly command: (draft: string, workspace: string) => Promise<readonly [string, ...string[]]>;
  readonly environment?: Readonly<Record<string, string>>;
}

export type BuildResult =
  | { readonly kind: 'made'; readonly entry: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };

/** Larger than the output of any installer. */
const logBytesMax = 64 * 2 ** 20;
/** Maximum number of vanished processes, for example by restarts of the machine, before the build fails. */
const lossesMax = 3;

/** Returns the entry, built now or before. Restarts builds whose process other callers stopped. */
export async function buildOnce(context: BuildContext, { key, ...rest }: BuildSpec): Promise<BuildResult> {
  // Variables of the cluster select the programs, so the entry is not shared with other clusters.
  const spec: BuildSpec = {
    ...rest,
    key:
      Object.keys(context.clusterVariables).length === 0
        ? key
        : cacheKeyOf(key, Object.entries(context.clusterVariables).toSorted()),
  };
  const entry = entryPathOf(context.root, spec.section, spec.key);
  for (let losses = 0; ;) {
    if (await touchEntry(entry, context.now())) return { kind: 'made', entry };
    if (context.signal.aborted) return { kind: 'stopped' };
    const workspace = await findBuildDirectory(entryPathOf(context.root, 'tries', spec.key));
    const draft = join(workspace, 'draft');
    const exit = await runBuild(context, spec, workspace, draft);
    switch (exit.kind) {
      case 'exited': {
        if (exit.code !== 0)
          return failBuild(
            (await readInstallErrors(workspace)) || `the installer ended with ${describeExit(exit.code)}`,
            draft,
          );
        if ((await lstat(draft).catch(undefinedIfMissing))?.isSymbolicLink() === true)
          return failBuild('the directory of the build was replaced by a link.', draft);
        const isPublished = await publishEntry(draft, entry, context.isolation.user !== undefined);
        // Other callers that still wait for the process find the entry.
        await rm(workspace, { recursive: true, force: true });
        // Fails while another build is active there.
        await rmdir(dirname(workspace)).catch(() => undefined);
        if (isPublished) return { kind: 'made', entry };
        break;
      }
      case 'flooded':
        return failBuild(exit.message, draft);
      case 'lost':
        losses += 1;
        if (losses >= lossesMax) return failBuild(exit.message, draft);
        // Marks the build as abandoned.
        await writeFileAtomically(join(workspace, 'stopped'), '').catch(undefinedIfMissing);
        break;
      case 'stopped':
        break;
      default:
        return exit satisfies never;
    }
  }
}

async function runBuild(
  context: BuildContext,
  spec: BuildSpec,
  workspace: string,
  draft: string,
): Promise<Exit> {
  const temporary = join(workspace, 'tmp');
  for (const made of [draft, temporary]) await mkdir(made, { recursive: true });
  // Another caller may have completed the entry in the meantime.
  if (await touchEntry(entryPathOf(context.root, spec.section, spec.key), context.now()))
    return { kind: 'exited', code: 0 };
  const program = {
    argv: await spec.command(draft, workspace),
    env: { ...context.environment, ...spec.environment },
  };
  const { user } = context.isolation;
  if (user !== undefined) await grantOwnership(workspace, user);
  const own = [workspace, ...toolDirectories.map((name) => join(context.root, name))];
  return exec(
    {
      directory: workspace,
      attemptDirectory: context.markerDirectory,
      cwd: workspace,
      stopGraceMs: context.stopGraceMs,
      logBytesMax,
      ...applyIsolation(context.isolation, program, { temporary, cwd: workspace, writable: own }),
    },
    context.signal,
  );
}

async function failBuild(message: string, draft: string): Promise<BuildResult> {
  await rm(draft, { recursive: true, force: true });
  return { kind: 'failed', message };
}

/** Returns the directory of the active or just completed build; else that of a new one. */
async function findBuildDirectory(tries: string): Promise<string> {
  const names = (await readdir(tries).catch(undefinedIfMissing)) ?? [];
  const last = Math.max(0, ...names.map(Number).filter(Number.isSafeInteger));
  const workspace = join(tries, String(last));
  return last > 0 && !(await isAbandoned(workspace)) ? workspace : join(tries, String(last + 1));
}

async function isAbandoned(workspace: string): Promise<boolean> {
  const { text, bytes } = await readHead(join(workspace, 'exit'), 16);
  if (bytes > 0) return text !== '0\n' || (await statIfExists(join(workspace, 'draft'))) === undefined;
  return (
    (await statIfExists(join(workspace, 'stopped'))) !== undefined ||
    (await readHead(join(workspace, 'pid'), 64)).text.startsWith('stopped')
  );
}
