/** Reads lists page by page. */
import { Type, type Static, type TSchema } from 'typebox';
import { callService, queryOf, type Call } from '../commands/service-client.ts';

/** A list operation of the service. */
export interface List<Item extends TSchema> {
  readonly path: string;
  /** Field of the response that holds the items; absent without any. */
  readonly field: string;
  readonly item: Item;
  /** Name of the parameter that asks for a page, and the largest page; absent for a list of one page. */
  readonly pageSize?: readonly [parameter: string, size: number];
  readonly version?: Call['version'];
}

/**
 * Yields the items of all pages.
 * @param filter parameters of the operation
 * @throws CommandError
 */
export async function* readPages<Item extends TSchema>(
  { path, field, item, pageSize, version }: List<Item>,
  filter: Readonly<Record<string, string | number | boolean | undefined>> = {},
): AsyncGenerator<Static<Item>> {
  const Page = Type.Object({
    [field]: Type.Optional(Type.Array(item)),
    next_page_token: Type.Optional(Type.String()),
  });
  const page = pageSize === undefined ? {} : { [pageSize[0]]: pageSize[1] };
  let token: string | undefined;
  do {
    const answer: Record<string, unknown> = await callService(
      Page,
      'GET',
      `${path}${queryOf({ ...filter, ...page, page_token: token })}`,
      version === undefined ? {} : { version },
    );
    // The response was checked against the schema, whose field name TypeScript does not know.
    yield* (answer[field] ?? []) as Static<Item>[];
    const next = answer['next_page_token'];
    token = typeof next === 'string' && next !== '' ? next : undefined;
  } while (token !== undefined);
}

/** Collects the first items of a list. @param matches condition that the command checks itself */
export async function takeItems<Item>(
  items: AsyncIterable<Item>,
  limit: number,
  matches: (item: Item) => boolean = () => true,
): Promise<Item[]> {
  const taken: Item[] = [];
  if (limit === 0) return taken;
  for await (const item of items) {
    if (!matches(item)) continue;
    taken.push(item);
    if (taken.length >= limit) break;
  }
  return taken;
}
