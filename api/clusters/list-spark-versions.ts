/** GET clusters/spark-versions. Clients test their connection with this operation. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';

const Version = Type.Object({
  key: Type.String({ description: 'Value of spark_version.' }),
  name: Type.String({ description: 'Display name.' }),
});

/** Lists the configured runtime versions. Clusters may name other versions, too. */
export function listSparkVersionsOperation({ inventory }: Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/spark-versions',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'List runtime versions',
    description: 'Lists the known runtime versions. A cluster may name any other version.',
    request: Type.Object({}),
    response: Type.Object({ versions: Type.Array(Version, { description: 'The runtime versions.' }) }),
    async handle() {
      return { versions: Object.entries(inventory.sparkVersions).map(([key, name]) => ({ key, name })) };
    },
  });
}
