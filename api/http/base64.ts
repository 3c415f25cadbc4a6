/** Contents of files as they stand in JSON: base64. */
import { invalid } from '../../engine/errors.ts';

/**
 * The bytes behind a base64 text; line breaks in it are passed over.
 * @param field name of the field, for the refusal of a text that is no base64
 */
export function decodeBase64(field: string, text: string): Buffer {
  const packed = text.replace(/[\r\n]+/g, '');
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) {
    throw invalid(
      `${field} is not base64: groups of four of the letters A-Z, a-z, 0-9, + and / are allowed, the last one filled up with =.`,
    );
  }
  return Buffer.from(packed, 'base64');
}
