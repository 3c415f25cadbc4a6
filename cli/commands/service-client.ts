/** Client of the running service for the commands. */
import { Type, type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { messageOf } from '../../engine/errors.ts';
import { readBootstrapToken } from '../wiring/bootstrap-token.ts';
import { readClientVariables, readConfig } from '../config.ts';
import { toSingleLine } from './print-line.ts';
import { CommandError } from '../start-error.ts';

/** The service did not answer, or not completely; the same call may succeed later. */
export class ServiceUnreachable extends CommandError {}

/** Calls the service. @throws CommandError with the error message of the service */
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
 * Opens a streaming response.
 * @throws ServiceUnreachable when the service does not answer or is busy; CommandError for other errors
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

/** Resolves URL and token from the client variables, else from the local configuration. */
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
    throw new CommandError(`There is no token for ${url}: set RUNYARD_TOKEN.`);
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
