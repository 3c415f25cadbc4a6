/** Results and errors of the JavaScript SDK, for its tests. */
import { ApiError } from '@databricks/sdk-experimental';

/** Returns all items of a list that the SDK reads page by page. */
export async function collectAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Returns the error that the SDK throws for an error response. */
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
