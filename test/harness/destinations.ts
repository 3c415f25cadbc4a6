/** Destinations for tests of job settings, whose webhooks must name existing ones. */
import type { Kysely } from 'kysely';
import type { Database } from '../../storage/postgres/schema.ts';

export const knownDestinations = [0, 1, 2, 3].map((index) => `00000000-0000-4000-8000-00000000000${index}`);

/** Stores the known destinations. Their address does not resolve, so nothing is ever sent. */
export async function addDestinations(db: Kysely<Database>): Promise<void> {
  await db
    .insertInto('destinations')
    .values(
      knownDestinations.map((id, index) => ({
        destination_id: id,
        display_name: `destination ${index}`,
        target: JSON.stringify({ kind: 'SLACK', url: 'https://chat.invalid/' }),
        secrets: null,
        created_time: 1,
      })),
    )
    .execute();
}
