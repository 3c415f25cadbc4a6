/** Object store of the configuration. */
import type { Clock } from '../../engine/clock.ts';
import { createObjectStore, type ObjectStore } from '../../storage/files/object-store.ts';
import { ConfigError, type Config } from '../config.ts';
import { objectDirectory } from './cache-directories.ts';

/**
 * Returns undefined when `objstore://` is a directory.
 * @throws ConfigError when only some settings are set
 */
export function createConfiguredObjectStore(
  { dataDirectory, objstoreEndpoint, objstoreAccessKey, objstoreSecretKey, objstoreRegion }: Config,
  clock: Clock,
): ObjectStore | undefined {
  const parts = [objstoreEndpoint, objstoreAccessKey, objstoreSecretKey];
  if (parts.every((part) => part === undefined)) return undefined;
  if (objstoreEndpoint === undefined || objstoreAccessKey === undefined || objstoreSecretKey === undefined) {
    throw new ConfigError(
      'RUNYARD_OBJSTORE_ENDPOINT, RUNYARD_OBJSTORE_ACCESS_KEY and RUNYARD_OBJSTORE_SECRET_KEY belong together: set all three, or none.',
    );
  }
  return createObjectStore(
    {
      endpoint: objstoreEndpoint,
      accessKey: objstoreAccessKey,
      secretKey: objstoreSecretKey,
      region: objstoreRegion,
    },
    objectDirectory(dataDirectory),
    clock,
  );
}
