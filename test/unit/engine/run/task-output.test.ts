/** Truncation of a text to bytes. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncateUtf8 } from '../../../../engine/run/task-output.ts';

test.each([
  ['shorter than the limit', 'abc', 5, 'abc', false],
  ['exactly the limit', 'abc', 3, 'abc', false],
  ['one over', 'abcd', 3, 'abc', true],
  ['two-byte character kept whole', 'aü', 3, 'aü', false],
  ['two-byte character left out whole', 'aü', 2, 'a', true],
  ['three-byte character left out whole', 'a€', 3, 'a', true],
  ['four-byte character left out whole', 'a😀', 4, 'a', true],
  ['four-byte character kept whole', 'a😀b', 5, 'a😀', true],
  ['nothing fits', '😀', 3, '', true],
  ['a limit of zero', 'a', 0, '', true],
  ['an empty text', '', 0, '', false],
] as const)('%s', (_name, text, bytes, kept, cut) => {
  expect(truncateUtf8(text, bytes)).toEqual({ text: kept, cut });
});

test('the result is the longest prefix that fits and splits no character', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'ü', '€', '😀') }), fc.nat(40), (text, bytes) => {
      const { text: kept, cut } = truncateUtf8(text, bytes);
      expect(text.startsWith(kept)).toBe(true);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(bytes);
      const [following = ''] = text.slice(kept.length);
      expect(cut).toBe(following !== '');
      if (cut) expect(Buffer.byteLength(kept + following)).toBeGreaterThan(bytes);
    }),
  );
});
