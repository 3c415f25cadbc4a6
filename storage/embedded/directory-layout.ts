/**
 * Directory and user of the embedded PostgreSQL: it refuses to run as root, and its user may lack access to
 * the data directory.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { codeOf, messageOf } from '../../engine/errors.ts';
import { commandSucceeds, type ServerUser } from './command.ts';

export interface DirectoryLayout {
  /**
   * Holds `data`, `socket` and, where needed, a copy of the programs: the cluster's directory, or a fallback
   * for it.
   */
  readonly baseDirectory: string;
  readonly user: ServerUser;
}

/**
 * Maximum socket path: 107 bytes on Linux, 103 on macOS; the smaller one is used so that a data directory
 * works on both.
 */
const socketPathBytes = 103;
export const serverPort = 5432;

/**
 * Chooses base directory and user. An engine that is not root uses the directory itself and its own user.
 * Root uses the owner of existing data, else `postgres` or `nobody`; where that user cannot enter the
 * directory (below a 0700 home), a system state directory is the fallback, recorded in the file `location`.
 * Throws with advice when existing data cannot be served.
 */
export async function resolveLayout(
  directory: string,
  volatile: boolean,
  log: Logger,
): Promise<DirectoryLayout> {
  const recorded = await readLocation(locationFile(directory));
  const base = recorded ?? directory;
  const owner = await ownerOf(join(base, 'data'));
  if (recorded !== undefined && owner === undefined) {
    throw new Error(
      `The database of ${directory} was kept in ${base}, and is not there: restore it, ` +
        `or remove ${locationFile(directory)} to start with an empty one.`,
    );
  }
  const self = process.getuid?.();
  if (self !== 0) {
    if (owner !== undefined && self !== undefined && owner.uid !== self) {
      throw new Error(
        `The database in ${base} belongs to user id ${owner.uid} and the engine runs as ${self}: start it as that user or as root.`,
      );
    }
    return { baseDirectory: base, user: undefined };
  }
  const user = owner ?? (await findSystemUser());
  if (recorded === undefined) await chmod(directory, 0o711);
  if (await commandSucceeds(user, 'sh', '-c', 'cd -- "$1"', 'sh', base)) return { baseDirectory: base, user };
  if (owner !== undefined) {
    throw new Error(
      `The database in ${base} belongs to user id ${owner.uid}, who may not enter that directory: allow it with chmod o+x on the directories above.`,
    );
  }
  return { baseDirectory: await ensureFallbackDirectory(directory, volatile, log), user };
}

/**
 * Makes the location permanent once the data exists: before that, an interrupted first start would look like
 * lost data.
 */
export async function saveBaseDirectory(directory: string, base: string): Promise<void> {
  if (base === directory) await rm(pendingLocationFile(directory), { force: true });
  else if ((await readLocation(locationFile(directory))) === undefined)
    await rename(pendingLocationFile(directory), locationFile(directory));
}

/**
 * Creates the socket directory: in the base directory, or in the temporary directory when that path is too
 * long.
 */
export async function makeSocketDirectory(layout: DirectoryLayout): Promise<string> {
  const short = `runyard-${shortHash(layout.baseDirectory)}`;
  const candidates = [join(layout.baseDirectory, 'socket'), join(tmpdir(), short), join('/tmp', short)];
  const path = candidates.find(
    (candidate) => Buffer.byteLength(join(candidate, `.s.PGSQL.${serverPort}`)) <= socketPathBytes,
  );
  if (path === undefined)
    throw new Error(
      `Every path for the database socket is longer than ${socketPathBytes} bytes, also ${candidates[2]}.`,
    );
  await makeOwnedDirectory(path, 0o700, layout.user);
  return path;
}

/**
 * Creates a directory for the server's user, or takes an existing one; one of another user (in /tmp) is
 * refused.
 */
export async function makeOwnedDirectory(path: string, mode: number, user: ServerUser): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  const found = await lstat(path);
  const self = process.getuid?.();
  if (!found.isDirectory() || (found.uid !== self && found.uid !== user?.uid)) {
    throw new Error(
      `${path} belongs to user id ${found.uid} or is no directory: remove it, the database needs that name.`,
    );
  }
  if (user !== undefined) await chown(path, user.uid, user.gid);
  await chmod(path, mode);
}

/** Creates a fallback directory, or returns the one that an interrupted first start recorded. */
async function ensureFallbackDirectory(directory: string, volatile: boolean, log: Logger): Promise<string> {
  const pending = await readLocation(pendingLocationFile(directory));
  if (pending !== undefined) return pending;
  const base = await makeFallbackDirectory(directory, volatile, log);
  await writeFile(pendingLocationFile(directory), `${base}\n`, { flush: true });
  return base;
}

async function makeFallbackDirectory(directory: string, volatile: boolean, log: Logger): Promise<string> {
  // Not derived from the directory's name: a data directory that is removed and created anew gets an empty
  // database.
  const name = randomBytes(6).toString('hex');
  const temporary = join(tmpdir(), `runyard-${name}`);
  if (!volatile) {
    const permanent = join('/var/lib/runyard', name);
    try {
      await makeOwnedDirectory('/var/lib/runyard', 0o755, undefined);
      await makeOwnedDirectory(permanent, 0o711, undefined);
      log.info(
        { directory, base: permanent },
        'The database is kept in a system directory, because its user may not enter the data directory.',
      );
      return permanent;
    } catch (error) {
      log.warn(
        { directory, base: temporary, reason: messageOf(error) },
        'The database is kept in a temporary directory, which a reboot may remove: move the data directory to a path that other users may enter.',
      );
    }
  }
  await makeOwnedDirectory(temporary, 0o711, undefined);
  return temporary;
}

const locationFile = (directory: string): string => join(directory, 'location');
const pendingLocationFile = (directory: string): string => join(directory, 'location.new');

async function readLocation(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim();
    return text === '' ? undefined : text;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function ownerOf(path: string): Promise<ServerUser> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Finds a user in /etc/passwd: initdb looks up the name of its uid. */
async function findSystemUser(): Promise<NonNullable<ServerUser>> {
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((account) => account[0] === name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'The embedded PostgreSQL does not run as root, and /etc/passwd names neither `postgres` nor `nobody`: ' +
      'start the engine as another user, or set DATABASE_URL.',
  );
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
