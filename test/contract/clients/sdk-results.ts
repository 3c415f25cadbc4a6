/** What the vendor's SDK makes of answers, for the tests that drive it. */
import { ApiError } from '@databricks/sdk-experimental';

/** Every item of a list that the SDK reads page by page. */
export async function collectAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** What the SDK makes of a refusal. */
export async function apiErrorOf(
  call: Promise<unknown>,
): Promise<Pick<ApiError, 'statusCode' | 'errorCode' | 'message'>> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`It was not refused, or not by the service: ${error}`);
  return { statusCode: error.statusCode, errorCode: error.errorCode, message: error.message };
}
