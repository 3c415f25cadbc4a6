/** The header Range of a download (RFC 9110, 14). */
import { ServiceError } from '../../engine/errors.ts';

/** Positions of the first and the last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header: `bytes=0-99`, `bytes=100-` or `bytes=-50`. Undefined, which means the whole file, for
 * every other text, several ranges included.
 * @throws ServiceError RANGE_NOT_SATISFIABLE for a range without a byte of the file
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start > end)
    throw new ServiceError('RANGE_NOT_SATISFIABLE', `The range is ${header}; the file has ${size} bytes.`);
  return { start, end };
}
