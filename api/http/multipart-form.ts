/**
 * Multipart forms as the input of an operation: fields as text, the file in base64, as it would stand in
 * JSON.
 */
import { invalid, messageOf, ServiceError } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';

/**
 * The input that a form carries.
 * @param contentType the whole header, which says where the parts begin and end
 * @param fileField field that may come as a file
 * @throws ServiceError for bytes that are no form, a field given twice, a file under another name
 */
export async function parseMultipartForm(
  contentType: string,
  body: Buffer<ArrayBuffer>,
  fileField: string,
): Promise<Record<string, string>> {
  const form = await parseFormData(contentType, body);
  const input = new Map<string, string>();
  for (const [name, value] of form) {
    if (input.has(name)) throw invalid(`${name} is given more than once in the form; give it once.`);
    if (typeof value !== 'string' && name !== fileField)
      throw invalid(`${quote(name)} is a file of the form; the only file may be ${fileField}.`);
    input.set(
      name,
      typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64'),
    );
  }
  return Object.fromEntries(input);
}

/** The runtime reads forms itself; the whole body is in memory already, and no larger than any other body. */
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
