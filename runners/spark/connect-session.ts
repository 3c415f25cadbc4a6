/** Session of an attempt on the shared driver: its id, its URL, and its release. */
import { connect } from 'node:http2';
import type { SparkDriver } from '../../engine/run/assignment.ts';

/** Identity of a session; a session of one user is out of reach of the others. */
export interface ConnectSession {
  readonly sessionId: string;
  readonly userId: string;
}

/** Returns the user of the sessions of an attempt. */
export function connectUserOf(runId: number): string {
  return `run-${runId}`;
}

/** Returns SPARK_REMOTE of a session. The name localhost makes clients use a connection without TLS. */
export function remoteUrlOf({ port, token }: SparkDriver, { sessionId, userId }: ConnectSession): string {
  return `sc://localhost:${port}/;token=${token};user_id=${userId};session_id=${sessionId}`;
}

const releaseTimeoutMs = 10_000;

/**
 * Releases a session: its queries are interrupted, its temporary views are dropped. Resolves with false when
 * the driver does not answer, which may be gone.
 */
export function releaseSession(driver: SparkDriver, session: ConnectSession): Promise<boolean> {
  return new Promise((resolve) => {
    const client = connect(`http://127.0.0.1:${driver.port}`);
    const end = (released: boolean): void => {
      clearTimeout(timer);
      client.destroy();
      resolve(released);
    };
    const timer = setTimeout(() => end(false), releaseTimeoutMs);
    client.on('error', () => end(false));
    const request = client.request({
      ':method': 'POST',
      ':path': '/spark.connect.SparkConnectService/ReleaseSession',
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${driver.token}`,
    });
    let status: unknown;
    const readStatus = (headers: Readonly<Record<string, unknown>>): void => {
      status = headers['grpc-status'] ?? status;
    };
    request.on('response', readStatus);
    request.on('trailers', readStatus);
    request.on('error', () => end(false));
    request.on('close', () => end(status === '0' || status === 0));
    request.resume();
    request.end(frameOf(releaseRequestOf(session)));
  });
}

/** Encodes ReleaseSessionRequest: session_id = 1, user_context = 2 (user_id = 1), client_type = 3. */
function releaseRequestOf({ sessionId, userId }: ConnectSession): Buffer {
  return Buffer.concat([
    field(1, Buffer.from(sessionId)),
    field(2, field(1, Buffer.from(userId))),
    field(3, Buffer.from('runyard')),
  ]);
}

/** Encodes a length-delimited field of less than 128 bytes. */
function field(number: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), value]);
}

/** Prefixes a message with its gRPC frame header: uncompressed, and its length. */
function frameOf(message: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}
