/** Java and Python of this machine, as Spark needs them. */
import { join } from 'node:path';
import { captureOutput, findInterpreter } from '../process/task-environment.ts';
import { noIsolation, type Isolation } from '../process/isolation.ts';

export const minimumJavaVersion = 17;
export const minimumPythonVersion = 10;

/** Spark cannot run on this machine. The message says what is missing and how to install it. */
export class SparkUnavailableError extends Error {
  override readonly name = 'SparkUnavailableError';
}

/** One command that installs Java. */
export const javaHint = `Install it, for example with "apt-get install openjdk-${minimumJavaVersion}-jre-headless"`;

/** Returns the major version of the Java that Spark would use: in JAVA_HOME, or on the PATH. */
export async function findJavaVersion(
  environment: Readonly<Record<string, string>>,
  isolation: Isolation = noIsolation,
): Promise<{ readonly program: string; readonly major: number } | undefined> {
  const home = environment['JAVA_HOME'] ?? '';
  const program = await findInterpreter(
    'java',
    home === '' ? environment : { ...environment, PATH: join(home, 'bin') },
    isolation,
  );
  if (program === undefined) return undefined;
  // Java 8 does not know the option.
  const line = await captureOutput(isolation, [program, '--version'], environment).catch(() => '');
  const [, major = '8'] = /^\S+ (\d+)/.exec(line) ?? [];
  return { program, major: Number(major) };
}

/** @throws SparkUnavailableError without a Java that Spark runs on */
export async function requireJava(
  environment: Readonly<Record<string, string>>,
  isolation: Isolation,
): Promise<void> {
  const java = await findJavaVersion(environment, isolation);
  if (java !== undefined && java.major >= minimumJavaVersion) return;
  const found =
    java === undefined ? 'none was found on this machine' : `${java.program} is Java ${java.major}`;
  throw new SparkUnavailableError(
    `Spark needs Java ${minimumJavaVersion} or newer, but ${found}. ${javaHint}, and start the run again; ` +
      '"runyard doctor" shows what this machine can run.',
  );
}
