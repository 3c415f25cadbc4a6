/** Multipart forms as operation input: fields as text, the file as base64 as in a JSON body. */
import { invalid, messageOf, ServiceError } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';

/** Names of the part with the file: each client has one of its own, for every operation. */
const filePartNames: ReadonlySet<string> = new Set(['content', 'contents', 'file']);

/**
 * Parses a form into the input of an operation.
 * @param contentType complete header with the boundary
 * @param fileField field that may be a file; its part may have any of the names that clients use for it
 * @throws ServiceError for an invalid form, a duplicate field, and a file in another field
 */
export async function parseMultipartForm(
  contentType: string,
  body: Buffer<ArrayBuffer>,
  fileField: string,
): Promise<Record<string, string>> {
  const form = await parseFormData(contentType, body);
  const input = new Map<string, string>();
  for (const [part, value] of form) {
    const name = filePartNames.has(part) ? fileField : part;
    if (input.has(name)) throw invalid(`${name} occurs more than once in the form; send it once.`);
    if (typeof value !== 'string' && name !== fileField)
      throw invalid(`${quote(name)} is sent as a file; only ${fileField} may be a file.`);
    input.set(
      name,
      typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64'),
    );
  }
  return Object.fromEntries(input);
}

/** Parses with the Response class of the runtime; the size limit of request bodies applies. */
async function parseFormData(contentType: string, body: Buffer<ArrayBuffer>): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new ServiceError(
      'MALFORMED_REQUEST',
      `Invalid multipart form given in the body of the request: ${messageOf(cause)}.`,
    );
  }
}
