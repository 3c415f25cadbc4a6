/** Parsers of the cluster settings: the inventory, and the faults to inject. */
import { Type, type Static, type TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { clusterFaultKinds, type ClusterFault } from '../../engine/cluster/fault-injection.ts';
import { noSparkMaster, sparkMasterPattern } from '../../engine/cluster/compute.ts';
import { clusterRuntimes, defaultInventory, type Inventory } from '../../engine/cluster/inventory.ts';
import { createValueError, parseJson, ValueError, type ParseValue } from './parsers.ts';

const strict = { additionalProperties: false };
const integerFrom = (minimum: number) => Type.Integer({ minimum, maximum: 1_000_000 });
const nonEmptyString = Type.String({ minLength: 1 });
const sparkMaster = Type.Optional(
  Type.String({ pattern: `${sparkMasterPattern.source}|^${noSparkMaster}$` }),
);
const runtime = Type.Optional(Type.Enum([...clusterRuntimes]));
const mapOf = <Schema extends TSchema>(schema: Schema) => Type.Record(Type.String({ minLength: 1 }), schema);

const ClustersSchema = Type.Object(
  {
    nodes: Type.Optional(integerFrom(1)),
    pools: Type.Optional(
      mapOf(
        Type.Object(
          { node_type_id: Type.Optional(nonEmptyString), capacity: Type.Optional(integerFrom(1)) },
          strict,
        ),
      ),
    ),
    policies: Type.Optional(
      mapOf(
        Type.Object(
          {
            node_type_id: Type.Optional(nonEmptyString),
            driver_node_type_id: Type.Optional(nonEmptyString),
            instance_pool_id: Type.Optional(nonEmptyString),
            spark_master: sparkMaster,
            runtime,
          },
          strict,
        ),
      ),
    ),
    node_types: Type.Optional(
      mapOf(
        Type.Object(
          {
            memory_mb: integerFrom(1),
            num_cores: Type.Number({ exclusiveMinimum: 0 }),
            category: Type.Optional(Type.String()),
            description: Type.Optional(Type.String()),
            spark_master: sparkMaster,
            num_gpus: Type.Optional(integerFrom(0)),
            local_disks: Type.Optional(integerFrom(0)),
            local_disk_size_gb: Type.Optional(integerFrom(1)),
          },
          strict,
        ),
      ),
    ),
    spark_versions: Type.Optional(mapOf(Type.String())),
    spark_master: sparkMaster,
    spark_runtimes: Type.Optional(
      mapOf(
        Type.Object(
          {
            pyspark: Type.Optional(Type.String({ pattern: String.raw`^\d+\.\d+\.\d+$` })),
            home: Type.Optional(Type.String({ pattern: '^/' })),
            conf: Type.Optional(Type.Record(Type.String(), Type.String())),
          },
          strict,
        ),
      ),
    ),
    runtime,
    init_script_seconds: Type.Optional(integerFrom(1)),
  },
  strict,
);

const FaultsSchema = Type.Array(
  Type.Object(
    {
      fault: Type.Enum([...clusterFaultKinds]),
      cluster: Type.Optional(nonEmptyString),
      times: Type.Optional(integerFrom(1)),
      after_ms: Type.Optional(integerFrom(0)),
      workers: Type.Optional(integerFrom(1)),
    },
    strict,
  ),
);

/**
 * Checks that the pools of policies exist, and adds the configured node types and runtimes to the built-in
 * ones.
 */
export const parseInventory: ParseValue<Inventory> = (given) => {
  const wanted = parseBySchema(
    ClustersSchema,
    given,
    false,
    'a JSON object such as {"nodes": 20, "pools": {"small": {"node_type_id": "standard-4", "capacity": 8}}}',
  );
  const {
    nodes,
    pools = {},
    policies = {},
    node_types: nodeTypes = {},
    spark_versions: sparkVersions = {},
    spark_master: master,
    spark_runtimes: sparkRuntimes = {},
    runtime: defaultRuntime,
    init_script_seconds: initScriptSeconds = defaultInventory.initScriptSeconds,
  } = wanted;
  for (const [policy, { instance_pool_id: pool }] of Object.entries(policies)) {
    if (pool !== undefined && !Object.hasOwn(pools, pool))
      throw new ValueError(
        `has a policy ${JSON.stringify(policy)} whose instance_pool_id is ${JSON.stringify(pool)}; this pool does not exist`,
      );
  }
  const configuredTypes = Object.entries(nodeTypes).map(
    ([id, type]) => [id, { category: 'Configured', description: id, ...type }] as const,
  );
  return {
    ...(nodes !== undefined && { nodes }),
    ...(master !== undefined && { sparkMaster: master }),
    ...(defaultRuntime !== undefined && { runtime: defaultRuntime }),
    sparkRuntimes,
    pools,
    policies,
    initScriptSeconds,
    nodeTypes: { ...defaultInventory.nodeTypes, ...Object.fromEntries(configuredTypes) },
    sparkVersions: { ...defaultInventory.sparkVersions, ...sparkVersions },
  };
};

export const parseFaults: ParseValue<readonly ClusterFault[]> = (given) =>
  parseBySchema(
    FaultsSchema,
    given,
    true,
    'a JSON list such as [{"fault": "loss", "cluster": "etl", "after_ms": 1000}]',
  );

function parseBySchema<Schema extends TSchema>(
  schema: Schema,
  given: unknown,
  isList: boolean,
  rule: string,
): Static<Schema> {
  const wanted = typeof given === 'string' ? parseJson(given) : given;
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted) !== isList)
    throw createValueError(rule, given);
  if (Check(schema, wanted)) return wanted;
  const [first] = Errors(schema, wanted);
  const where = first?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  throw new ValueError(
    `is invalid${where === '' ? '' : ` at ${where}`}: ${first?.message === 'schema is false' ? 'unknown field' : (first?.message ?? rule)}`,
  );
}
