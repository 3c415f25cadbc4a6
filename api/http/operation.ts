/** Definition of an API operation: data that the app turns into routes, checks and documentation. */
import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { ApiVersion } from '../../engine/job/job-format.ts';
import type { Log } from '../../engine/ports/log.ts';
import type { Scope } from '../../engine/token/scopes.ts';
import type { Access } from './access.ts';
import type { Caller } from './auth.ts';

/** Context of a request that the handler of an operation receives beside its input. */
export interface RequestContext {
  /** API version of the called path. */
  readonly version: ApiVersion;
  readonly caller: Caller;
  /** User whose permissions filter lists; undefined when the caller may see everything. */
  readonly visibleTo: string | undefined;
  /** Log of the service, for failures that the caller does not need to know. */
  readonly log: Log;
  /** Adds a warning to the response, as a Warning header. */
  readonly warn: (text: string) => void;
  /** Records the values before and after a change for the audit log. */
  readonly recordChange: (before: object, after: object) => void;
  /** Aborts when the client disconnects before the response is complete. */
  readonly disconnectSignal: AbortSignal;
  /** Aborts when the service stops; streams end then. */
  readonly shutdownSignal: AbortSignal;
  /** Position at which an interrupted event stream resumes (Last-Event-ID). */
  readonly lastEventId: number | undefined;
  /** Body of the request as bytes; only operations with `fileBody` read it. */
  readonly body: Readable;
  /** Headers Range and If-Unmodified-Since of a download. */
  readonly download: { readonly range: string | undefined; readonly unmodifiedSince: string | undefined };
}

/** Operation with a typed input. The input of `handle` was coerced and validated by `request`. */
interface TypedOperation<Request extends TSchema> {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Path below `/api/<version>`, e.g. `/jobs/create`. A segment `:job_id` is a field of `request`; a last
   * segment `:file_path*` is a field with all remaining segments and a leading slash.
   */
  readonly path: string;
  readonly versions: readonly ApiVersion[];
  /** Scope of the operation: a token needs this scope or `all-apis`. */
  readonly scope: Scope;
  /** True: any valid token is accepted, regardless of its scopes. */
  readonly anyScope?: true;
  /** True: only administrators may call it. */
  readonly adminsOnly?: true;
  /** Permission it needs while job access control is on; required for every operation on jobs. */
  readonly access?: Access;
  /** Base64 field that a multipart form may carry as a file instead. */
  readonly fileField?: string;
  /** True: the body is the contents of a file, which `handle` reads as a stream; all input is in the URL. */
  readonly fileBody?: true;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Description in the API reference. */
  readonly description: string;
  /** Input: the query of a GET or HEAD, or the body of other methods, and the path fields. */
  readonly request: Request;
  /** Completes the body before validation, for clients that leave out what the service can supply. */
  readonly complete?: (body: object) => object;
  /** Response in the API reference; the result of `handle` is sent unchanged. */
  readonly response: TSchema;
  /** Media type of a response that is not JSON; `handle` returns a StreamedResponse then. */
  readonly mediaType?: string;
  // Declared as a method because method parameters are bivariant: operations of all inputs fit into one list.
  handle(input: Static<Request>, context: RequestContext): Promise<object>;
}

/** Operation whose input type is erased. */
export interface Operation extends Omit<TypedOperation<TSchema>, 'handle'> {
  handle(input: unknown, context: RequestContext): Promise<object>;
}

/** Defines an operation; infers the input type of `handle` from the `request` schema. */
export function defineOperation<const Request extends TSchema>(
  operation: TypedOperation<Request>,
): Operation {
  return operation;
}
