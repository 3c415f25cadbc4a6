/** Pages of a list: how many entries one has, and the tokens that name the place where the next one begins. */
import { invalid } from '../engine/errors.ts';
import { quote } from '../engine/job/wording.ts';

export interface PageRule {
  readonly usual: number;
  readonly most: number;
}

export interface PageRequest {
  readonly limit?: number;
  readonly offset?: number;
  readonly page_token?: string;
}

/** Where a page begins, and how many entries it has. */
export interface Page {
  readonly size: number;
  readonly offset: number;
  /** Id of the last entry of the page before; undefined on the first page. */
  readonly before: number | undefined;
}

/**
 * Reads which page is asked for. `limit=0` is the largest page, an empty page_token the first one.
 * @param list name of the list: a token belongs to one list
 * @throws ServiceError for a limit above `most`, an unknown page_token, or a page_token beside an offset
 */
export function pageOf(list: string, request: PageRequest, { usual, most }: PageRule): Page {
  const { limit = Math.min(usual, most), offset = 0, page_token: token = '' } = request;
  if (limit > most) throw invalid(`Invalid limit ${limit} - it has to be no more than ${most}.`);
  if (token !== '' && offset > 0) throw invalid(`offset is ${offset} beside a page_token; only one of them may be given.`);
  return { size: limit === 0 ? most : limit, offset, before: token === '' ? undefined : idIn(list, token) };
}

/** Entries of one page out of those found, which are at most one more than the page has; `next_page_token` if there is more. */
export function cutPage<Entry>(
  list: string, found: readonly Entry[], size: number, idOf: (entry: Entry) => number,
): { readonly entries: readonly Entry[]; readonly more: { readonly has_more: boolean; readonly next_page_token?: string } } {
  const entries = found.slice(0, size);
  const last = entries.at(-1);
  if (found.length <= size || last === undefined) return { entries, more: { has_more: false } };
  return { entries, more: { has_more: true, next_page_token: tokenOf(list, idOf(last)) } };
}

function tokenOf(list: string, id: number): string {
  return Buffer.from(`${list}:${id}`).toString('base64url');
}

function idIn(list: string, token: string): number {
  const [, name, digits = ''] = /^([a-z]+):(\d{1,16})$/.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? [];
  const id = Number(digits);
  // A token that was changed on its way does not come back from its own reading.
  if (name !== list || !Number.isSafeInteger(id) || tokenOf(list, id) !== token) {
    throw invalid(`page_token is ${quote(token)}; it must be a next_page_token of this list.`);
  }
  return id;
}
