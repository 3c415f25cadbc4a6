/** GET clusters/spark-versions: runtimes by name. Clients test their connection with it. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';

const Version = Type.Object({
  key: Type.String({ description: 'What spark_version names.' }),
  name: Type.String({ description: 'The same for people.' }),
});

export function listSparkVersionsOperation({ inventory }: Pick<ClusterPorts, 'inventory'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/spark-versions',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'List the runtimes',
    description: 'Runtimes that are known by name. A cluster may name any other.',
    request: Type.Object({}),
    response: Type.Object({ versions: Type.Array(Version, { description: 'The runtimes.' }) }),
    async handle() {
      return { versions: Object.entries(inventory.sparkVersions).map(([key, name]) => ({ key, name })) };
    },
  });
}
