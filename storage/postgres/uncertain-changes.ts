/** Tells whether a change is certainly not stored after the database failed: before or at its commit. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  PostgresDialect,
  PostgresDriver,
  type AbortableOperationOptions,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type PostgresDialectConfig,
} from 'kysely';
import { codeOf } from '../../engine/errors.ts';

/** What the statements of one piece of work have stored. */
interface StoredChanges {
  any: boolean;
}

const changesOfWork = new AsyncLocalStorage<StoredChanges>();
/** Errors after which it is not known whether a change is stored. */
const uncertainErrors = new WeakSet<object>();

/** Returns whether a change may be stored although the work failed with this error. */
export function isOutcomeUnknown(error: unknown): boolean {
  return typeof error === 'object' && error !== null && uncertainErrors.has(error);
}

/** Runs work, and marks its error when a part of its changes was stored before. */
export async function trackChanges<Result>(work: () => Promise<Result>): Promise<Result> {
  const changes: StoredChanges = { any: false };
  try {
    return await changesOfWork.run(changes, work);
  } catch (error) {
    if (changes.any) markUncertain(error);
    throw error;
  }
}

function markUncertain(error: unknown): void {
  if (typeof error === 'object' && error !== null) uncertainErrors.add(error);
}

/** Dialect whose connections mark errors of statements whose effect is not known. */
export class TrackingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new TrackingDriver(this.#config);
  }
}

class TrackingDriver extends PostgresDriver {
  readonly #tracked = new WeakSet<DatabaseConnection>();

  override async acquireConnection(
    ...options: Parameters<PostgresDriver['acquireConnection']>
  ): ReturnType<PostgresDriver['acquireConnection']> {
    const connection = await super.acquireConnection(...options);
    if (!this.#tracked.has(connection)) {
      this.#tracked.add(connection);
      trackStatements(connection);
    }
    return connection;
  }
}

/** Observes the statements of a connection, in and outside transactions. */
function trackStatements(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  const transaction = { isOpen: false, changes: false, isUncertain: false };
  connection.executeQuery = async <Row>(query: CompiledQuery, options?: AbortableOperationOptions) => {
    const { sql } = query;
    const isCommit = sql === 'commit';
    if (beginStatement.test(sql))
      Object.assign(transaction, { isOpen: true, changes: false, isUncertain: false });
    const { isOpen } = transaction;
    if (isCommit || sql === 'rollback') transaction.isOpen = false;
    const isChange = isCommit ? transaction.changes : changeStatement.test(sql);
    if (isOpen && isChange) transaction.changes = true;
    // Changes inside a transaction are stored by its commit.
    const stores = isChange && (isCommit || !isOpen);
    try {
      const result = await execute<Row>(query, options);
      const work = stores ? changesOfWork.getStore() : undefined;
      if (work !== undefined) work.any = true;
      return result;
    } catch (error) {
      const isUncertain = stores && !wasRejected(error);
      if (isCommit) transaction.isUncertain = isUncertain;
      // The error of the rollback that follows a failed commit replaces that of the commit.
      if (isUncertain || (sql === 'rollback' && transaction.isUncertain)) markUncertain(error);
      throw error;
    }
  };
}

const beginStatement = /^(?:begin|start transaction)\b/;

/**
 * Statements that change rows, also in a CTE, and calls of the stored functions, whose names end with their
 * version. A lock (`select ... for update`) changes nothing.
 */
const changeStatement =
  /^\s*(?:insert|update|delete|truncate)\b|\binsert\s+into\b|\bdelete\s+from\b|\bupdate\s+"?\w+"?\s+(?:as\s+"?\w+"?\s+)?set\b|\b[a-z]+(?:_[a-z]+)+_\d+\s*\(/i;

/** SQLSTATE of an answer of the server, without those with which it closes a connection. */
const rejection = /^(?!57P|08)[0-9A-Z]{5}$/;

/** Returns whether the server has rejected the statement, which then has no effect. */
function wasRejected(error: unknown): boolean {
  return (
    rejection.test(codeOf(error) ?? '') && typeof error === 'object' && error !== null && 'severity' in error
  );
}
