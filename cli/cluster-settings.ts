/**
 * How the settings of clusters are read: what they are made of, and the faults that strike them on purpose.
 */
import { Type, type Static, type TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { clusterFaultKinds, type ClusterFault } from '../engine/cluster/faults.ts';
import { defaultInventory, type Inventory } from '../engine/cluster/inventory.ts';
import { must, parsedJson, ValueError, type ReadValue } from './setting-values.ts';

const strict = { additionalProperties: false };
const count = (least: number) => Type.Integer({ minimum: least, maximum: 1_000_000 });
const name = Type.String({ minLength: 1 });
const named = <Schema extends TSchema>(schema: Schema) => Type.Record(Type.String({ minLength: 1 }), schema);

const Clusters = Type.Object(
  {
    nodes: Type.Optional(count(1)),
    pools: Type.Optional(
      named(Type.Object({ node_type_id: Type.Optional(name), capacity: Type.Optional(count(1)) }, strict)),
    ),
    policies: Type.Optional(
      named(
        Type.Object(
          {
            node_type_id: Type.Optional(name),
            driver_node_type_id: Type.Optional(name),
            instance_pool_id: Type.Optional(name),
          },
          strict,
        ),
      ),
    ),
    node_types: Type.Optional(
      named(
        Type.Object(
          {
            memory_mb: count(1),
            num_cores: Type.Number({ exclusiveMinimum: 0 }),
            category: Type.Optional(Type.String()),
            description: Type.Optional(Type.String()),
          },
          strict,
        ),
      ),
    ),
    spark_versions: Type.Optional(named(Type.String())),
    init_script_seconds: Type.Optional(count(1)),
  },
  strict,
);

const Faults = Type.Array(
  Type.Object(
    {
      fault: Type.Enum([...clusterFaultKinds]),
      cluster: Type.Optional(name),
      times: Type.Optional(count(1)),
      after_ms: Type.Optional(count(0)),
      workers: Type.Optional(count(1)),
    },
    strict,
  ),
);

/**
 * Pools and policies that it names must be there; node types and runtimes come on top of those that are known
 * anyway.
 */
export const inventory: ReadValue<Inventory> = (given) => {
  const wanted = fitting(
    Clusters,
    given,
    false,
    'a JSON object such as {"nodes": 20, "pools": {"small": {"node_type_id": "standard-4", "capacity": 8}}}',
  );
  const {
    nodes,
    pools = {},
    policies = {},
    node_types: types = {},
    spark_versions: versions = {},
    init_script_seconds: seconds = defaultInventory.initScriptSeconds,
  } = wanted;
  for (const [policy, { instance_pool_id: pool }] of Object.entries(policies)) {
    if (pool !== undefined && !Object.hasOwn(pools, pool))
      throw new ValueError(
        `has a policy ${JSON.stringify(policy)} whose instance_pool_id is ${JSON.stringify(pool)}; there is no such pool`,
      );
  }
  const own = Object.entries(types).map(
    ([id, type]) => [id, { category: 'Configured', description: id, ...type }] as const,
  );
  return {
    ...(nodes !== undefined && { nodes }),
    pools,
    policies,
    initScriptSeconds: seconds,
    nodeTypes: { ...defaultInventory.nodeTypes, ...Object.fromEntries(own) },
    sparkVersions: { ...defaultInventory.sparkVersions, ...versions },
  };
};

export const faults: ReadValue<readonly ClusterFault[]> = (given) =>
  fitting(Faults, given, true, 'a JSON list such as [{"fault": "loss", "cluster": "etl", "after_ms": 1000}]');

function fitting<Schema extends TSchema>(
  schema: Schema,
  given: unknown,
  isList: boolean,
  rule: string,
): Static<Schema> {
  const wanted = typeof given === 'string' ? parsedJson(given) : given;
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted) !== isList)
    throw must(rule, given);
  if (Check(schema, wanted)) return wanted;
  const [first] = Errors(schema, wanted);
  const where = first?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  throw new ValueError(
    `is wrong${where === '' ? '' : ` at ${where}`}: ${first?.message === 'schema is false' ? 'there is no such field' : (first?.message ?? rule)}`,
  );
}
