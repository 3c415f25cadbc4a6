/** Base64 contents of files in JSON. */
import { invalid } from '../../engine/errors.ts';

/**
 * Decodes a base64 text; line breaks are ignored.
 * @param field name of the field in the error message
 * @throws ServiceError for a text that is not base64
 */
export function decodeBase64(field: string, text: string): Buffer {
  const packed = text.replace(/[\r\n]+/g, '');
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) {
    throw invalid(
      `${field} is not base64: only groups of four characters A-Z, a-z, 0-9, + and / are allowed, the last one padded with =.`,
    );
  }
  return Buffer.from(packed, 'base64');
}
