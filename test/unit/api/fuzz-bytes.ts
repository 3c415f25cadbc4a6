/** Invalid byte sequences in texts. */
import * as fc from 'fast-check';

/** Generates the bytes of a text, sometimes with sequences that are not valid UTF-8. */
export function mutatedBytes(texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const pieces = fc.constantFrom(
    [0xff],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0x80],
    [0],
    [0xef, 0xbb, 0xbf],
    [0x1f, 0x8b, 8, 0],
  );
  return fc
    .tuple(texts, fc.nat(), pieces, fc.constantFrom('insert', 'cut', 'append' as const))
    .map(([text, place, piece, kind]) => {
      const bytes = Buffer.from(text);
      const at = place % (bytes.length + 1);
      if (kind === 'cut') return bytes.subarray(0, at);
      return kind === 'insert'
        ? Buffer.concat([bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at)])
        : Buffer.concat([bytes, Buffer.from(piece)]);
    });
}
