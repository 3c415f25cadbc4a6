/**
 * Starts the supervisor of a process. Plain JavaScript, because it also runs in the spawner process, whose memory
 * doubles with the compiler for TypeScript. start-supervisor.d.mts has the types.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, fchownSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Environment variable that marks the processes of an attempt with its directory. */
export const attemptMarker = 'RUNYARD_ATTEMPT_DIR';

const supervisorScript = fileURLToPath(new URL('./supervise.sh', import.meta.url));

/** O_APPEND lets a process truncate its own log; O_NOFOLLOW ignores links made by the attempt. */
const logOpenFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

const bootId = readBootId();

/** @type {typeof import('./start-supervisor.mjs').startSupervisor} */
export function startSupervisor({ directory, attemptDirectory, argv, cwd, env, runAs = [], limits = '' }) {
  const stdout = openLog(directory, 'stdout', runAs);
  try {
    const stderr = openLog(directory, 'stderr', runAs);
    try {
      const [program = '', ...words] = [
        ...runAs,
        '/bin/sh',
        supervisorScript,
        directory,
        bootId,
        limits,
        ...argv,
      ];
      return spawn(program, words, {
        cwd,
        env: { ...env, [attemptMarker]: attemptDirectory },
        detached: true,
        stdio: ['ignore', stdout, stderr],
      });
    } finally {
      closeSync(stderr);
    }
  } finally {
    closeSync(stdout);
  }
}

/**
 * Opens a log. The user of the task owns it like its directory, because programs reopen `/dev/stdout`. A file
 * with other hard links keeps its owner.
 */
function openLog(directory, name, runAs) {
  const log = openSync(join(directory, name), logOpenFlags, 0o600);
  if (runAs.length === 0) return log;
  const { uid, gid } = statSync(directory);
  const found = fstatSync(log);
  if (found.uid !== uid && found.isFile() && found.nlink === 1) fchownSync(log, uid, gid);
  return log;
}

/** Returns the boot id, read once; empty where the supervisor has to ask another way. */
function readBootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
