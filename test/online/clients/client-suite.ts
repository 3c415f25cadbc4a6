/** Suite of one client: installs it, runs a program that uses it, and compares what each step reports. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execa } from 'execa';
import type { Config } from '../../../cli/config.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { ClientUnavailable, sourcePath } from './client-installs.ts';

/** `npm test` must not depend on external services. */
const enabled = process.env['RUNYARD_TEST_ONLINE'] !== undefined;

/** Installation of the largest client takes minutes. */
const installLimitMs = 900_000;
const programLimitMs = 600_000;

export interface ClientProgram {
  /** Installs the client and returns the command that runs its program. */
  readonly prepare: () => Promise<readonly string[]>;
  /** Settings of the service that differ from the defaults. */
  readonly settings?: () => Promise<Partial<Config>>;
  /** Environment of the program, beside the address and the token. */
  readonly environment?: (service: TestService) => Readonly<Record<string, string>>;
  /** Value of each step, or `{ error }`. */
  readonly expected: Readonly<Record<string, unknown>>;
}

interface StepReport {
  readonly step: string;
  readonly value?: unknown;
  readonly error?: string;
}

/** Declares one test for each step of a client program, and one that every step has an expectation. */
export function describeClient(name: string, program: ClientProgram): void {
  describe.skipIf(!enabled)(name, () => {
    let service: TestService | undefined;
    let unavailable: string | undefined;
    let reports: readonly StepReport[] = [];

    beforeAll(async () => {
      service = await startTestService(await program.settings?.());
      try {
        const command = await program.prepare();
        reports = await runProgram(command, environmentOf(service, program));
      } catch (error) {
        if (!(error instanceof ClientUnavailable)) throw error;
        unavailable = error.message;
      }
    }, installLimitMs + programLimitMs);
    afterAll(() => service?.stop());

    test.for(Object.entries(program.expected))('%s', ([step, expected], { skip }) => {
      skip(unavailable !== undefined, unavailable);
      const report = reports.find((one) => one.step === step);
      expect(report?.error === undefined ? report?.value : { error: report.error }).toEqual(expected);
    });

    test('every step of the program has an expectation', ({ skip }) => {
      skip(unavailable !== undefined, unavailable);
      expect(reports.map(({ step }) => step)).toEqual(Object.keys(program.expected));
    });
  });
}

function environmentOf(service: TestService, program: ClientProgram): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: service.dataDirectory,
    PYTHONPATH: sourcePath('.'),
    PYTHONDONTWRITEBYTECODE: '1',
    DATABRICKS_HOST: service.url,
    DATABRICKS_TOKEN: service.token,
    ...program.environment?.(service),
  };
}

async function runProgram(
  [file = '', ...args]: readonly string[],
  env: Record<string, string>,
): Promise<StepReport[]> {
  const { stdout, stderr, failed } = await execa(file, args, {
    env,
    extendEnv: false,
    reject: false,
    timeout: programLimitMs,
  });
  const reports = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): StepReport => JSON.parse(line));
  if (failed) throw new Error(`The client program failed after ${reports.length} steps:\n${stderr}`);
  return reports;
}
