/** Wires the outbox dispatcher of one node: stores, mailer and the listener that wakes it. */
import { hostname } from 'node:os';
import type { Clock } from '../../engine/clock.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';
import { noMask } from '../../engine/run/masking.ts';
import { createOutboxDispatcher } from '../../notifications/outbox-dispatcher.ts';
import { createMailer } from '../../notifications/mailer.ts';
import type { AttemptFiles } from '../../storage/files/attempt-files.ts';
import type { DatabaseAddress, OpenDatabase } from '../../storage/postgres/database.ts';
import { createDeliveryStore } from '../../storage/postgres/deliveries/deliveries.ts';
import { createLogFiles } from '../../storage/files/log-files.ts';
import { readLogTail } from '../../storage/files/log-tail.ts';
import { listenForOutbox } from '../../storage/postgres/outbox/outbox-notify.ts';
import { knownPathsOf, type Roots } from '../../storage/files/roots.ts';
import { toKnownPaths } from '../../engine/run/known-paths.ts';
import { createRunReader } from '../../storage/postgres/stores.ts';
import type { Config } from '../config.ts';
import { mailDirectory } from './mail-directory.ts';
import { stopAll } from './shutdown.ts';
import { fixedLimits } from '../../engine/limits.ts';

export interface Notifications {
  /** Stops the dispatcher; another engine or the next start delivers what is pending. */
  close(): Promise<void>;
}

/** Delay after the first failed attempt, ms; it doubles up to an hour. */
const retryBaseMs = 2_000;

export interface NotificationDependencies {
  readonly config: Config;
  readonly address: DatabaseAddress;
  readonly database: OpenDatabase;
  readonly roots: Roots;
  readonly files: AttemptFiles;
  readonly workspaceInfo: WorkspaceInfo;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts delivering pending and future outbox events. */
export function startNotifications({
  config,
  address,
  database,
  roots,
  files,
  workspaceInfo,
  nodeId,
  clock,
  log,
}: NotificationDependencies): Notifications {
  const directory = mailDirectory(config.dataDirectory);
  if (config.smtpUrl === undefined)
    log.info({ directory }, 'RUNYARD_SMTP_URL is not set: mails are stored as .eml files.');
  const [logs, runs] = [createLogFiles(roots), createRunReader(database.db)];
  const readTail = async (runId: number): Promise<string> => {
    const found = await runs.find(runId);
    const mask = found === undefined ? noMask : await runs.getMask(found.run);
    return toKnownPaths(knownPathsOf(roots), await readLogTail(logs, files, runId, mask));
  };
  const dispatcher = createOutboxDispatcher({
    store: createDeliveryStore(database.db, clock, log),
    mailer: createMailer({
      smtpUrl: config.smtpUrl,
      from: config.mailFrom ?? `Runyard <runyard@${hostname()}>`,
      perSecond: config.mailsPerSecond,
      directory,
    }),
    site: workspaceInfo,
    logTail: readTail,
    allowPrivate: config.webhookAllowPrivate,
    timeoutMs: fixedLimits.webhookTimeoutMs,
    retryBaseMs,
    random: Math.random,
    nodeId,
    clock,
    log,
  });
  const listener = listenForOutbox({ address, clock, log }, dispatcher.wake);
  return { close: () => stopAll([() => listener.close(), () => dispatcher.close()]) };
}
