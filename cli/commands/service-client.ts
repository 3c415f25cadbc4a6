/** Client of the running service for the commands. */
import { Type, type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { messageOf } from '../../engine/errors.ts';
import { readBootstrapToken } from '../wiring/bootstrap-token.ts';
import { findProfile, type Profile } from '../client/profiles.ts';
import { readClientVariables, readConfig } from '../config.ts';
import { printDiagnostic, toSingleLine } from './print-line.ts';
import { CommandError } from '../start-error.ts';

/** The service did not answer, or not completely; the same call may succeed later. */
export class ServiceUnreachable extends CommandError {
  override readonly exitCode = 3;
}

/** Options of a call. */
export interface Call {
  /** Document that is sent as JSON. */
  readonly body?: unknown;
  /** Default: 2.0. */
  readonly version?: '2.0' | '2.1' | '2.2';
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Calls the service and prints the warnings of its response to stderr.
 * @param path path below the version, with the query
 * @returns the response with all its fields
 * @throws CommandError with the error message of the service; ServiceUnreachable when it does not answer
 */
export async function callService<Shape extends TSchema>(
  shape: Shape,
  method: Method,
  path: string,
  { body, version = '2.0' }: Call = {},
): Promise<Static<Shape>> {
  const response = await send(method, `/api/${version}${path}`, {
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  for (const warning of readWarnings(response)) printDiagnostic(`runyard: warning: ${warning}`);
  return readAs(shape, await response.text(), `${method} ${path}`);
}

/** Reads a response that another service than Runyard may have sent. @throws CommandError */
function readAs<Shape extends TSchema>(shape: Shape, text: string, request: string): Static<Shape> {
  try {
    return Parse(shape, JSON.parse(text));
  } catch {
    throw new CommandError(
      `The response to ${request} is not one of Runyard: ${toSingleLine(text).slice(0, 200)}. Check the URL of the service.`,
    );
  }
}

/** Calls an operation whose response is not JSON, or is read as a stream. @throws as callService */
export async function openServiceStream(path: string, signal?: AbortSignal): Promise<Response> {
  return send('GET', `/api/2.1${path}`, signal === undefined ? {} : { signal });
}

/** Makes the query of a path. Fields without a value are left out. */
export function queryOf(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/** Returns the URL of the service. */
export async function serviceUrl(): Promise<string> {
  return (await resolveService()).url;
}

const NotReady = Type.Object({ reason: Type.String() });

/** Returns why the service takes no runs; undefined when it does. @throws ServiceUnreachable */
export async function findUnreadiness(): Promise<string | undefined> {
  const { url } = await resolveService();
  const response = await fetch(`${url}/readyz`).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  return response.ok ? undefined : readAs(NotReady, await response.text(), 'GET /readyz').reason;
}

function unreachable(url: string, error: unknown): ServiceUnreachable {
  return new ServiceUnreachable(
    `There is no service at ${url} (${causeMessageOf(error)}): start it, or name it in RUNYARD_URL.`,
  );
}

/** Overloads and restarts pass by: the same call may succeed later. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

async function send(method: Method, path: string, init: RequestInit): Promise<Response> {
  const { url, token } = await resolveService();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...init,
  }).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  if (response.ok) return response;
  const message = `The service refused: ${parseErrorMessage(await response.text())}`;
  throw retryableStatuses.has(response.status) ? new ServiceUnreachable(message) : new CommandError(message);
}

/** Returns the texts of the header `warning: 299 runyard "text", …`. */
function readWarnings(response: Response): string[] {
  const header = response.headers.get('warning') ?? '';
  return [...header.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}

/** Resolves URL and token: the profile, else the client variables, else the local configuration. */
export async function resolveService(): Promise<Profile> {
  const profile = await findProfile();
  if (profile !== undefined) return { ...profile, url: profile.url.replace(/\/$/, '') };
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
    throw new CommandError(
      `There is no token for ${url}: set RUNYARD_TOKEN, or add a profile with runyard profiles add.`,
    );
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
