/** Decides how a task reaches the Spark of its cluster. */
import type { SparkSession, SqlEngine } from '../../engine/cluster/compute.ts';

/** `own`: the task starts its own driver; `shared`: a session on the driver of the cluster; `none`: no Spark. */
export type SessionMode = 'own' | 'shared' | 'none';

/**
 * Uses of what a Connect session lacks: the Spark context, RDDs, the JVM, DStreams, and a master chosen by the
 * program.
 */
const classicOnly =
  /\b(?:SparkContext|sparkContext|StreamingContext|SparkConf|_jvm|_jsc|_jdf|_jsparkSession|HiveContext)\b|\.rdd\b|(?<![\w.])sc\s*\.|\.master\s*\(|\bfrom\s+pyspark\.(?:mllib|streaming|rdd)\b|\benableHiveSupport\b/;

/** Uses of Spark in a Python program or notebook. */
const sparkUse = /\b(?:pyspark|spark|sqlContext|sc|delta)\b|%{1,2}run\b/;
const sqlCell = /%{1,2}sql\b/;

/**
 * Returns the mode of a notebook or Python program by its file.
 * @param extension lower case, with the dot
 */
export function sessionModeOfFile(
  extension: string,
  source: string | undefined,
  session: SparkSession,
  sql: SqlEngine,
): SessionMode {
  if (extension === '.js') return 'none';
  if (extension !== '.sql') return sessionModeOf(source, session, sql);
  if (sql === 'duckdb') return 'none';
  return session === 'classic' ? 'own' : 'shared';
}

/**
 * Returns the mode of a Python program or notebook.
 * @param source text of its file; undefined when it cannot be read
 * @param session `auto` chooses by the text
 * @param sql engine of SQL cells
 */
export function sessionModeOf(
  source: string | undefined,
  session: SparkSession,
  sql: SqlEngine,
): SessionMode {
  const usesSpark =
    source === undefined || sparkUse.test(source) || (sql === 'spark' && sqlCell.test(source));
  if (!usesSpark) return 'none';
  if (session !== 'auto') return session === 'connect' ? 'shared' : 'own';
  return source !== undefined && classicOnly.test(source) ? 'own' : 'shared';
}
