/** Calls of the running service by the commands: over HTTP, like any other client. */
import { Type, type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { messageOf } from '../../engine/errors.ts';
import { readBootstrapToken } from '../wiring/bootstrap-token.ts';
import { readClientVariables, readConfig } from '../config.ts';
import { toSingleLine } from './print-line.ts';
import { CommandError } from '../start-error.ts';

/** Nobody answered, or not to the end: the same call may succeed later. */
export class ServiceUnreachable extends CommandError {}

/** One call of the service, with the refusal in its own words. @throws CommandError */
export async function callService<Shape extends TSchema>(
  shape: Shape,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: string,
  version = '2.0',
): Promise<Static<Shape>> {
  const { url, token } = await resolveService();
  const response = await fetch(`${url}/api/${version}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  }).catch((error: unknown) => {
    throw new ServiceUnreachable(
      `There is no service at ${url} (${causeMessageOf(error)}): start it, or name it in RUNYARD_URL.`,
    );
  });
  const text = await response.text();
  if (!response.ok)
    throw new (response.status === 503 ? ServiceUnreachable : CommandError)(
      `The service refused: ${parseErrorMessage(text)}`,
    );
  return Parse(shape, JSON.parse(text));
}

/**
 * A call whose answer comes in pieces. @throws Unreachable when nobody answers or the service is busy;
 * CommandError for every other refusal
 */
export async function openServiceStream(path: string, signal?: AbortSignal): Promise<Response> {
  const { url, token } = await resolveService();
  const response = await fetch(`${url}/api/2.1${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(signal !== undefined && { signal }),
  }).catch((error: unknown) => {
    throw new ServiceUnreachable(
      `There is no service at ${url} (${causeMessageOf(error)}): start it, or name it in RUNYARD_URL.`,
    );
  });
  if (response.ok) return response;
  const message = `The service refused: ${parseErrorMessage(await response.text())}`;
  throw response.status === 429 || response.status === 503
    ? new ServiceUnreachable(message)
    : new CommandError(message);
}

/** Where the service is: as the variables of clients say, else as the configuration here says. */
async function resolveService(): Promise<{ readonly url: string; readonly token: string }> {
  const given = readClientVariables();
  const config = readConfig();
  const url =
    given.url ??
    config.publicUrl ??
    `${config.tlsCert === undefined ? 'http' : 'https'}://${config.host}:${config.port}`;
  const token =
    given.token ??
    config.bootstrapToken ??
    (await readBootstrapToken(config.dataDirectory).catch(() => undefined));
  if (token === undefined || token === '')
    throw new CommandError(`There is no token to use at ${url}: set RUNYARD_TOKEN.`);
  return { url: url.replace(/\/$/, ''), token };
}

function causeMessageOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

function parseErrorMessage(text: string): string {
  try {
    return Parse(Type.Object({ message: Type.String() }), JSON.parse(text)).message;
  } catch {
    return toSingleLine(text).slice(0, 300);
  }
}
