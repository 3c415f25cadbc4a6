/** Properties of `spark_conf` that Runyard reads itself and does not pass to Spark. */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';

/** Prefix of Runyard's own properties. */
export const ownPropertyPrefix = 'runyard.';

/** Names of the properties, with their values; the first one is the default. */
export const sparkSwitches = {
  /** How Python reaches Spark: a session on the shared driver of the cluster, or a driver of its own. */
  'runyard.spark.session': ['auto', 'connect', 'classic'],
  /** Engine of SQL cells and SQL notebooks. */
  'runyard.sql': ['spark', 'duckdb'],
} as const;

/** Refuses an unknown property of Runyard and a value that it does not have. @throws ServiceError */
export function checkSparkSwitches(path: string, conf: Readonly<Record<string, string>> = {}): void {
  const known: Readonly<Record<string, readonly string[]>> = sparkSwitches;
  for (const [name, value] of Object.entries(conf)) {
    if (!name.startsWith(ownPropertyPrefix)) continue;
    const values = Object.hasOwn(known, name) ? known[name] : undefined;
    if (values === undefined)
      throw invalid(
        `${path} has the property ${quote(name)}; properties of Runyard are ${Object.keys(known).join(' and ')}.`,
      );
    if (!values.includes(value))
      throw invalid(`${path}.${name} is ${quote(value)}; it must be one of ${values.join(', ')}.`);
  }
}
