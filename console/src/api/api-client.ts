/** HTTP client of the API with typed errors. */

/** Error response of the service. */
export class ApiError extends Error {
  readonly status: number;
  /** `error_code` of the response; empty when the response is not from the service. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

/** No response: the service or the network is down. */
export class ConnectionLost extends Error {
  constructor() {
    super('The service does not answer.');
    this.name = 'ConnectionLost';
  }
}

export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Sends requests with a token; `path` follows `api/`, e.g. `2.1/jobs/list`. */
export interface ApiClient {
  /** @throws ApiError, ConnectionLost; AbortError after `signal` */
  get<Answer>(path: string, fields?: QueryParameters, signal?: AbortSignal): Promise<Answer>;
  /**
   * Returns a response for the caller to read.
   * @throws ApiError, ConnectionLost; AbortError after `signal`
   */
  getStream(path: string, fields?: QueryParameters, signal?: AbortSignal): Promise<Response>;
  /** @throws ApiError, ConnectionLost; AbortError after `signal` */
  post<Answer>(path: string, body: object, signal?: AbortSignal): Promise<Answer>;
}

export function createApiClient(token: string): ApiClient {
  const headers = { authorization: `Bearer ${token}`, 'x-runyard-client': 'console' };
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
  // Relative, because a proxy may serve the console below a path.
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
    // The response is trusted to match the API description; it is not validated here.
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
