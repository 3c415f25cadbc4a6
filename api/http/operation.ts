/** What an operation of the API is: plain data that the app turns into routes, checks and documentation. */
import type { Static, TSchema } from 'typebox';
import type { ApiVersion } from '../../engine/job/job-format.ts';
import type { Log } from '../../engine/ports/engine.ts';
import type { Scope } from '../../engine/token/scopes.ts';
import type { Access } from './access.ts';
import type { Caller } from './auth.ts';

/** What an operation is told beside its input. */
export interface RequestContext {
  /** Version of the path that was called. */
  readonly version: ApiVersion;
  readonly caller: Caller;
  /** User whose permissions narrow what a list shows; undefined when the caller may see everything. */
  readonly visibleTo: string | undefined;
  /** For what whoever runs the service must know, and the caller need not. */
  readonly log: Log;
  /** Tells the audit log how something was before a change, and how it is after it. */
  readonly recordChange: (before: object, after: object) => void;
  /** Aborts when the caller has gone before the answer. */
  readonly disconnectSignal: AbortSignal;
  /** Aborts when the service stops: an answer that goes on for long ends then. */
  readonly shutdownSignal: AbortSignal;
  /** Where a stream of events that broke is to go on. */
  readonly lastEventId: number | undefined;
}

/**
 * Operation with a typed input. `handle` may count on an input that was forgiven (tolerance) and fits
 * `request`.
 */
interface TypedOperation<Request extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Below `/api/<version>`, e.g. `/jobs/create`. A segment `:job_id` is the field of `request` with this
   * name.
   */
  readonly path: string;
  readonly versions: readonly ApiVersion[];
  /** The one scope that it belongs to: a token needs that, or `all-apis`. */
  readonly scope: Scope;
  /** True: any valid token will do, whatever its scopes. */
  readonly anyScope?: true;
  /** True: for administrators. */
  readonly adminsOnly?: true;
  /** Who may call it while job access control is on. Every operation on jobs says so. */
  readonly access?: Access;
  /** Field that may also come as the file of a multipart form, as it is instead of in base64. */
  readonly fileField?: string;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** What it does, for the documentation. */
  readonly description: string;
  /** The query of a GET, the body of all others, and what stands in the path. */
  readonly request: Request;
  /** The answer, for the documentation: nothing is cut from what `handle` returns. */
  readonly response: TSchema;
  /** What the answer is when it is no JSON; `handle` returns a StreamedResponse then. */
  readonly mediaType?: string;
  // A method on purpose: methods are compared bivariantly, so that operations of all inputs fit into one
  // list.
  handle(input: Static<Request>, context: RequestContext): Promise<object>;
}

/** An operation as the app sees it. */
export interface Operation extends Omit<TypedOperation<TSchema>, 'handle'> {
  handle(input: unknown, context: RequestContext): Promise<object>;
}

/** Types the input of `handle` by the `request` schema. */
export function defineOperation<const Request extends TSchema>(
  operation: TypedOperation<Request>,
): Operation {
  return operation;
}
