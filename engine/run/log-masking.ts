/** Masks secrets in the bytes of a log. The result does not depend on how the log is divided into reads. */
import {
  partialSecretLengthAtEnd,
  partialSecretLengthAtStart,
  findSecrets,
  maskPlaceholder,
  type Mask,
  type Span,
} from './masking.ts';

/** Bytes of a log, with context before and after the requested part: a secret may cross its borders. */
export interface LogWindow {
  readonly bytes: Buffer;
  /** Start of the requested part within `bytes`. */
  readonly from: number;
  /** True when `bytes` starts after a gap, so that it may start with the end of a secret. */
  readonly truncatedBefore: boolean;
  /**
   * Continuation after `bytes`: `more` of the log, the `end` of a complete log, `pending` output of an active
   * task, or a `gap`.
   */
  readonly following: 'more' | 'end' | 'pending' | 'gap';
}

/** Masked bytes, and the end of their part of the window. */
export interface MaskedBytes {
  readonly bytes: Buffer;
  readonly to: number;
}

const placeholderBytes = Buffer.from(maskPlaceholder);

/**
 * Returns the requested part of a window without secrets. Consecutive parts neither split a character nor a
 * secret.
 * @param maxBytes maximum length of the part; at least one character is returned if there is one
 */
export function maskLogWindow(window: LogWindow, maxBytes: number, mask: Mask): MaskedBytes {
  const { bytes, from, following } = window;
  const spans = secretSpansOf(window, mask);
  const open =
    following === 'pending'
      ? Math.max(incompleteCharacterLength(bytes), partialSecretLengthAtEnd(mask, bytes))
      : 0;
  const end = Math.max(from, bytes.length - open);
  let to = Math.min(from + maxBytes, end);
  if (to < end || following === 'more') to = alignToCharacters(bytes, from, to, end);
  const parts: Buffer[] = [];
  let at = from;
  for (const span of spans) {
    if (span.end <= from || span.start >= to) continue;
    parts.push(bytes.subarray(at, Math.max(at, span.start)));
    // The previous part shows a secret that starts before this one.
    if (span.start >= from) parts.push(placeholderBytes);
    at = Math.min(span.end, to);
  }
  return { bytes: Buffer.concat([...parts, bytes.subarray(at, to)]), to };
}

function secretSpansOf({ bytes, truncatedBefore, following }: LogWindow, mask: Mask): Span[] {
  if (mask.longest === 0) return [];
  const spans = findSecrets(mask, bytes);
  if (truncatedBefore) spans.unshift({ start: 0, end: partialSecretLengthAtStart(mask, bytes) });
  if (following === 'gap')
    spans.push({ start: bytes.length - partialSecretLengthAtEnd(mask, bytes), end: bytes.length });
  return spans.filter(({ start, end }) => end > start);
}

/** Returns an end between characters: before a split character, or after it if nothing else would remain. */
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

/** Returns the number of last bytes that start an incomplete UTF-8 character. */
function incompleteCharacterLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (!isContinuationByte(byte)) return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Returns the number of bytes of the character that starts with a byte. */
function characterLength(byte: number): number {
  if (byte < 0xc2 || byte > 0xf4) return 1;
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
}

function isContinuationByte(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Returns the line that replaces the truncated part of a log. */
export function truncationLine(bytes: number, cap: number): string {
  return `\n[runyard: ${formatBytes(bytes)} left out here; RUNYARD_LOG_BYTES_MAX is ${formatBytes(cap)}]\n`;
}

const byteUnits = ['KB', 'MB', 'GB', 'TB'] as const;

/** Formats a size, such as `1.2 GB`; 1 KB is 1024 bytes. */
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
