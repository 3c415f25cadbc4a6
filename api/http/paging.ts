/** Pagination of lists: page sizes and page tokens. */
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';

export interface PagingRules {
  readonly defaultSize: number;
  readonly maximumSize: number;
  /** Count of numbers in a cursor of the list. */
  readonly cursorLength: number;
}

/** Position of an entry: the values of its sort columns; the last one is its id. */
export type PageCursor = readonly number[];

export interface PageRequest {
  readonly limit?: number;
  readonly offset?: number;
  readonly page_token?: string;
}

/** Start and size of a page. */
export interface Page {
  readonly size: number;
  readonly offset: number;
  /** Position of the last entry of the previous page; undefined for the first page. */
  readonly cursor: PageCursor | undefined;
}

/**
 * Parses the paging fields of a request. `limit=0` means the maximum, an empty page_token the first page.
 * @param list name of the list; a token is valid for one list
 * @throws ServiceError for a limit above `maximumSize`, an unknown page_token, and a page_token with an
 * offset
 */
export function parsePageRequest(
  list: string,
  request: PageRequest,
  { defaultSize, maximumSize, cursorLength }: PagingRules,
): Page {
  const { limit = Math.min(defaultSize, maximumSize), offset = 0, page_token: token = '' } = request;
  if (limit > maximumSize)
    throw invalid(`Invalid limit ${limit} - it has to be no more than ${maximumSize}.`);
  if (token !== '' && offset > 0)
    throw invalid(`offset is ${offset} and page_token is given; only one of them is allowed.`);
  return {
    size: limit === 0 ? maximumSize : limit,
    offset,
    cursor: token === '' ? undefined : decodePageToken(list, token, cursorLength),
  };
}

/**
 * Builds a page from up to `size + 1` found entries. The additional entry shows that another page follows,
 * which adds `next_page_token`.
 */
export function buildPage<Entry>(
  list: string,
  found: readonly Entry[],
  size: number,
  cursorOf: (entry: Entry) => PageCursor,
): {
  readonly entries: readonly Entry[];
  readonly more: { readonly has_more: boolean; readonly next_page_token?: string };
} {
  const entries = found.slice(0, size);
  const last = entries.at(-1);
  if (found.length <= size || last === undefined) return { entries, more: { has_more: false } };
  return { entries, more: { has_more: true, next_page_token: encodePageToken(list, cursorOf(last)) } };
}

/** Returns the token of the page that begins at a cursor. */
export function encodePageToken(list: string, cursor: PageCursor): string {
  return Buffer.from([list, ...cursor].join(':')).toString('base64url');
}

function decodePageToken(list: string, token: string, cursorLength: number): PageCursor {
  const [name, ...texts] = Buffer.from(token, 'base64url').toString('latin1').split(':');
  const cursor = texts.map(Number);
  // Encoding the decoded cursor again detects modified tokens.
  if (
    name !== list ||
    cursor.length !== cursorLength ||
    !cursor.every(Number.isSafeInteger) ||
    encodePageToken(list, cursor) !== token
  ) {
    throw invalid(`page_token is ${quote(token)}; it must be the next_page_token of a page of this list.`);
  }
  return cursor;
}
