/**
 * Pages of a list: how many entries one has, and the tokens that name the place where the next one begins.
 */
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';

export interface PageRule {
  readonly usual: number;
  readonly most: number;
  /** How many numbers a place in the list is. */
  readonly numbers: number;
}

/**
 * Where an entry stands in its list: the values that the list is ordered by, newest first; the last is its
 * id.
 */
export type Place = readonly number[];

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
  readonly before: Place | undefined;
}

/**
 * Reads which page is asked for. `limit=0` is the largest page, an empty page_token the first one.
 * @param list name of the list: a token belongs to one list
 * @throws ServiceError for a limit above `most`, an unknown page_token, or a page_token beside an offset
 */
export function pageOf(list: string, request: PageRequest, { usual, most, numbers }: PageRule): Page {
  const { limit = Math.min(usual, most), offset = 0, page_token: token = '' } = request;
  if (limit > most) throw invalid(`Invalid limit ${limit} - it has to be no more than ${most}.`);
  if (token !== '' && offset > 0)
    throw invalid(`offset is ${offset} beside a page_token; only one of them may be given.`);
  return {
    size: limit === 0 ? most : limit,
    offset,
    before: token === '' ? undefined : placeIn(list, token, numbers),
  };
}

/**
 * Entries of one page out of those found, which are at most one more than the page has; `next_page_token` if
 * there is more.
 */
export function cutPage<Entry>(
  list: string,
  found: readonly Entry[],
  size: number,
  placeOf: (entry: Entry) => Place,
): {
  readonly entries: readonly Entry[];
  readonly more: { readonly has_more: boolean; readonly next_page_token?: string };
} {
  const entries = found.slice(0, size);
  const last = entries.at(-1);
  if (found.length <= size || last === undefined) return { entries, more: { has_more: false } };
  return { entries, more: { has_more: true, next_page_token: tokenOf(list, placeOf(last)) } };
}

function tokenOf(list: string, place: Place): string {
  return Buffer.from([list, ...place].join(':')).toString('base64url');
}

function placeIn(list: string, token: string, numbers: number): Place {
  const [name, ...texts] = Buffer.from(token, 'base64url').toString('latin1').split(':');
  const place = texts.map(Number);
  // A token that was changed on its way does not come back from its own reading.
  if (
    name !== list ||
    place.length !== numbers ||
    !place.every(Number.isSafeInteger) ||
    tokenOf(list, place) !== token
  ) {
    throw invalid(`page_token is ${quote(token)}; it must be a next_page_token of this list.`);
  }
  return place;
}
