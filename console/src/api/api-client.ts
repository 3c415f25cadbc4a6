/** One request to the service: an answer, or an error that says what happened and what may be done. */

/** The service refused. */
export class ApiError extends Error {
  readonly status: number;
  /** `error_code` of the answer; empty when it was not one of the service. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
  }
}

/** There was no answer: the service or the way to it is down. */
export class ConnectionLost extends Error {
  constructor() {
    super('The service does not answer.');
    this.name = 'ConnectionLost';
  }
}

export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Sends with a token; `path` is what follows `api/`, e.g. `2.1/jobs/list`. */
export interface ApiClient {
  /** @throws Refusal, ConnectionLost; the abort of `signal` */
  get<Answer>(path: string, fields?: QueryParameters, signal?: AbortSignal): Promise<Answer>;
  /**
   * An answer that is no JSON, to be read by the caller. @throws Refusal, ConnectionLost; the abort of
   * `signal`
   */
  getStream(path: string, fields?: QueryParameters, signal?: AbortSignal): Promise<Response>;
  /** @throws Refusal, ConnectionLost; the abort of `signal` */
  post<Answer>(path: string, body: object, signal?: AbortSignal): Promise<Answer>;
}

export function createApiClient(token: string): ApiClient {
  const headers = { authorization: `Bearer ${token}` };
  return {
    get: (path, fields = {}, signal) =>
      requestJson(`api/${path}${renderQuery(fields)}`, { headers, ...(signal !== undefined && { signal }) }),
    async getStream(path, fields = {}, signal) {
      const response = await sendRequest(`api/${path}${renderQuery(fields)}`, {
        headers,
        ...(signal !== undefined && { signal }),
      });
      if (response.ok) return response;
      throw toApiError(response, await response.json().catch(() => undefined));
    },
    post: (path, body, signal) =>
      requestJson(`api/${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal !== undefined && { signal }),
      }),
  };
}

async function sendRequest(url: string, init: RequestInit): Promise<Response> {
  // Relative: the service may stand below a path of a proxy.
  return fetch(url, { ...init, cache: 'no-store', credentials: 'omit', redirect: 'error' }).catch(
    (error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new ConnectionLost();
    },
  );
}

async function requestJson<Answer>(url: string, init: RequestInit): Promise<Answer> {
  const response = await sendRequest(url, init);
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && body !== undefined) {
    // What the service answers is what its description says; the console reads it as that.
    return body as Answer;
  }
  throw toApiError(response, body);
}

function toApiError({ status, statusText }: Response, body: unknown): ApiError {
  if (typeof body === 'object' && body !== null && 'message' in body && 'error_code' in body) {
    return new ApiError(status, String(body.error_code), String(body.message));
  }
  return new ApiError(
    status,
    '',
    `Unexpected response ${status} ${statusText}: it came from a proxy or another server, not from Runyard.`,
  );
}

function renderQuery(fields: QueryParameters): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
