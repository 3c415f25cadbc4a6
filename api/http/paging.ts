/**
 * Pages of a list: how many entries one has, and the tokens that name the place where the next one begins.
 */
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';

export interface PagingRules {
  readonly defaultSize: number;
  readonly maximumSize: number;
  /** How many numbers a place in the list is. */
  readonly cursorLength: number;
}

/**
 * Where an entry stands in its list: the values that the list is ordered by, newest first; the last is its
 * id.
 */
export type PageCursor = readonly number[];

export interface PageRequest {
  readonly limit?: number;
  readonly offset?: number;
  readonly page_token?: string;
}

/** Where a page begins, and how many entries it has. */
export interface Page {
  readonly size: number;
  readonly offset: number;
  /** The last entry of the page before; undefined on the first page. */
  readonly cursor: PageCursor | undefined;
}

/**
 * Reads which page is asked for. `limit=0` is the largest page, an empty page_token the first one.
 * @param list name of the list: a token belongs to one list
 * @throws ServiceError for a limit above `most`, an unknown page_token, or a page_token beside an offset
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
    throw invalid(`offset is ${offset} beside a page_token; only one of them may be given.`);
  return {
    size: limit === 0 ? maximumSize : limit,
    offset,
    cursor: token === '' ? undefined : decodePageToken(list, token, cursorLength),
  };
}

/**
 * Entries of one page out of those found, which are at most one more than the page has; `next_page_token` if
 * there is more.
 */
export function buildPage<Entry>(
  list: string,
  found: readonly Entry[],
  size: number,
  placeOf: (entry: Entry) => PageCursor,
): {
  readonly entries: readonly Entry[];
  readonly more: { readonly has_more: boolean; readonly next_page_token?: string };
} {
  const entries = found.slice(0, size);
  const last = entries.at(-1);
  if (found.length <= size || last === undefined) return { entries, more: { has_more: false } };
  return { entries, more: { has_more: true, next_page_token: encodePageToken(list, placeOf(last)) } };
}

function encodePageToken(list: string, place: PageCursor): string {
  return Buffer.from([list, ...place].join(':')).toString('base64url');
}

function decodePageToken(list: string, token: string, numbers: number): PageCursor {
  const [name, ...texts] = Buffer.from(token, 'base64url').toString('latin1').split(':');
  const place = texts.map(Number);
  // A token that was changed on its way does not come back from its own reading.
  if (
    name !== list ||
    place.length !== numbers ||
    !place.every(Number.isSafeInteger) ||
    encodePageToken(list, place) !== token
  ) {
    throw invalid(`page_token is ${quote(token)}; it must be a next_page_token of this list.`);
  }
  return place;
}
