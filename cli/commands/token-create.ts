/** `runyard token create`: creates a token for a user or a service principal. */
import { Type } from 'typebox';
import { printDiagnostic, printLine } from './print-line.ts';
import { callService } from './service-client.ts';
import { CommandError } from '../start-error.ts';

export interface TokenOptions {
  readonly user?: string;
  readonly servicePrincipal?: string;
  readonly comment?: string;
  readonly days?: string;
  readonly scopes?: string;
  readonly autoscope?: true;
}

const Created = Type.Object({
  token_value: Type.String(),
  token_info: Type.Object({ token_id: Type.String() }),
});

/** Prints the value to stdout and the id to stderr. Resolves with the exit code. @throws CommandError */
export async function createToken({
  user,
  servicePrincipal,
  comment,
  days,
  scopes,
  autoscope,
}: TokenOptions): Promise<number> {
  if (days !== undefined && !/^[1-9]\d{0,5}$/.test(days))
    throw new CommandError(`--days is ${days}; it must be a whole number of days.`);
  if (user !== undefined && servicePrincipal !== undefined)
    throw new CommandError('--user and --service-principal exclude each other: a token has one owner.');
  const onBehalf = user !== undefined || servicePrincipal !== undefined;
  const { token_value: value, token_info: info } = await callService(
    Created,
    'POST',
    onBehalf ? '/token-management/on-behalf-of/tokens' : '/token/create',
    {
      body: {
        ...(user !== undefined && { user_name: user }),
        ...(servicePrincipal !== undefined && { application_id: servicePrincipal }),
        ...(comment !== undefined && { comment }),
        ...(days !== undefined && { lifetime_seconds: Number(days) * 86_400 }),
        ...(scopes !== undefined && { scopes: scopes.split(',').map((scope) => scope.trim()) }),
        ...(autoscope === true && { autoscope_enabled: true }),
      },
    },
  );
  printLine(value);
  printDiagnostic(`Token ${info.token_id}. Its value cannot be shown again.`);
  return 0;
}
