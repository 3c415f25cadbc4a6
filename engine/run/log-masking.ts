/** Bytes of a log as they are shown: without secrets, and the same however they are divided. Pure. */
import {
  partialSecretLengthAtEnd,
  partialSecretLengthAtStart,
  findSecrets,
  maskPlaceholder,
  type Mask,
  type Span,
} from './masking.ts';

/** Bytes of a log, with some before and after what is to be shown: a secret may reach over the borders. */
export interface LogWindow {
  readonly bytes: Buffer;
  /** Where what is to be shown begins, within `bytes`. */
  readonly from: number;
  /** Whether `bytes` begins where a part was left out, so that a secret may be there in half. */
  readonly truncatedBefore: boolean;
  /**
   * What comes behind `bytes`: more of the log, nothing ever, nothing so far, or a part that was left out.
   */
  readonly following: 'more' | 'nothing' | 'the future' | 'a cut';
}

/** What is shown, and where in the window it ends. */
export interface MaskedBytes {
  readonly bytes: Buffer;
  readonly to: number;
}

const placeholderBytes = Buffer.from(maskPlaceholder);

/**
 * At most `most` bytes from where the window says, at least one character if there is one, without the
 * secrets. What follows one another is together what is shown of all the bytes: no character and no secret is
 * broken between them.
 */
export function maskLogWindow(window: LogWindow, most: number, mask: Mask): MaskedBytes {
  const { bytes, from, following } = window;
  const spans = secretSpansOf(window, mask);
  const open =
    following === 'the future'
      ? Math.max(incompleteCharacterLength(bytes), partialSecretLengthAtEnd(mask, bytes))
      : 0;
  const end = Math.max(from, bytes.length - open);
  let to = Math.min(from + most, end);
  if (to < end || following === 'more') to = alignToCharacters(bytes, from, to, end);
  const parts: Buffer[] = [];
  let at = from;
  for (const span of spans) {
    if (span.end <= from || span.start >= to) continue;
    parts.push(bytes.subarray(at, Math.max(at, span.start)));
    // One that began before is shown there.
    if (span.start >= from) parts.push(placeholderBytes);
    at = Math.min(span.end, to);
  }
  return { bytes: Buffer.concat([...parts, bytes.subarray(at, to)]), to };
}

function secretSpansOf({ bytes, truncatedBefore, following }: LogWindow, mask: Mask): Span[] {
  if (mask.longest === 0) return [];
  const spans = findSecrets(mask, bytes);
  if (truncatedBefore) spans.unshift({ start: 0, end: partialSecretLengthAtStart(mask, bytes) });
  if (following === 'a cut')
    spans.push({ start: bytes.length - partialSecretLengthAtEnd(mask, bytes), end: bytes.length });
  return spans.filter(({ start, end }) => end > start);
}

/** An end that breaks no character: before it where that leaves something, else behind it. */
function alignToCharacters(bytes: Buffer, from: number, to: number, end: number): number {
  const open = incompleteCharacterLength(bytes.subarray(from, to));
  if (open === 0) return to;
  if (to - open > from) return to - open;
  let longer = to;
  while (
    longer < end &&
    longer - from < characterLength(bytes[from] ?? 0) &&
    isContinuationByte(bytes[longer] ?? 0)
  )
    longer += 1;
  return longer;
}

/** How many of the last bytes begin a character of UTF-8 that is not complete. */
export function incompleteCharacterLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (!isContinuationByte(byte)) return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Bytes of the character that begins with this one. */
function characterLength(byte: number): number {
  if (byte < 0xc2 || byte > 0xf4) return 1;
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
}

function isContinuationByte(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The line that stands for what was left out. */
export function truncationLine(bytes: number, cap: number): string {
  return `\n[runyard: ${formatBytes(bytes)} left out here; RUNYARD_LOG_BYTES_MAX is ${formatBytes(cap)}]\n`;
}

const byteUnits = ['KB', 'MB', 'GB', 'TB'] as const;

/** A size for people: `1.2 GB`; 1 KB is 1024 bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  let value = bytes / 1_024;
  let unit = 0;
  while (value >= 1_023.95 && unit < byteUnits.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${value.toFixed(1).replace(/\.0$/, '')} ${byteUnits[unit]}`;
}
