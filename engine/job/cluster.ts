/** Schemas of clusters and libraries (spec 2.8). check-cluster.ts checks rules across fields. */
import { Type, type Static } from 'typebox';
import { withAliases } from '../validation/aliases.ts';
import { int32, scalarMap, stringList } from '../validation/scalars.ts';

export const AutoScale = Type.Object(
  {
    min_workers: int32(0, 'Minimum and initial number of workers.'),
    max_workers: int32(0, 'Maximum number of workers; greater than min_workers.'),
  },
  { description: 'Range of the number of workers.' },
);

/** Location in a store, for init scripts and log delivery. */
export const StorageInfo = Type.Object(
  { destination: Type.String({ description: 'Path or URI in this store, for example managed_fs:/logs.' }) },
  { description: 'A location in one store.' },
);

export const ClusterLogConf = Type.Object(withAliases({ managed_fs: Type.Optional(StorageInfo) }), {
  description:
    'Delivers the logs of the cluster every 5 minutes to <destination>/<cluster-id>/. One destination per cluster.',
});

export const InitScriptInfo = Type.Object(
  withAliases({
    workspace: Type.Optional(StorageInfo),
    managed_fs: Type.Optional(StorageInfo),
    objstore: Type.Optional(StorageInfo),
  }),
  {
    description:
      'A script run on every node before the cluster is used. Exactly one store is given; managed_fs is deprecated.',
  },
);

export const CloudAttributes = Type.Object(
  withAliases({
    use_preemptible_executors: Type.Optional(
      Type.Boolean({ description: 'Workers may be preempted at any time.' }),
    ),
    cloud_service_account: Type.Optional(
      Type.String({ description: 'Service account used for object-store and analytics data sources.' }),
    ),
    boot_disk_size: Type.Optional(int32(0, 'Disk of each instance in GB, 100 to 4096.')),
  }),
  { description: 'Attributes for the cloud in use.' },
);

export const PlacementAttributes = Type.Object(
  {
    availability: Type.Optional(
      Type.String({ description: 'SPOT or ON_DEMAND, or another value of the cloud in use.' }),
    ),
    zone_id: Type.Optional(Type.String({ description: 'Zone of the instances.' })),
  },
  { description: 'Placement and availability of instances.' },
);

/** custom_tags is an always empty array in the specification, and a map in clients. */
const noTags = Type.Unsafe<never[]>({ type: 'array', maxItems: 0 });

export const NewCluster = Type.Object(
  withAliases({
    num_workers: Type.Optional(int32(0, 'Number of workers, without the driver. Alternative: autoscale.')),
    autoscale: Type.Optional(AutoScale),
    is_single_node: Type.Optional(
      Type.Boolean({ description: 'A cluster without workers, as with num_workers 0. Default: false.' }),
    ),
    spark_version: Type.Optional(Type.String({ description: 'Runtime version. Required.' })),
    spark_conf: Type.Optional(scalarMap('Configuration properties.')),
    cloud_attributes: Type.Optional(CloudAttributes),
    placement_attributes: Type.Optional(PlacementAttributes),
    node_type_id: Type.Optional(
      Type.String({
        description: 'Size of a node. Required unless instance_pool_id or policy_id supplies it.',
      }),
    ),
    driver_node_type_id: Type.Optional(
      Type.String({ description: 'Size of the driver. Default: node_type_id.' }),
    ),
    ssh_public_keys: Type.Optional(stringList('Not supported: always shown empty.')),
    custom_tags: Type.Optional(
      Type.Union([scalarMap('Tags by name.'), noTags], {
        description: 'Tags of the cluster; an empty list means none.',
      }),
    ),
    cluster_log_conf: Type.Optional(ClusterLogConf),
    init_scripts: Type.Optional(
      Type.Array(InitScriptInfo, { description: 'Run one after the other, in this order.' }),
    ),
    spark_env_vars: Type.Optional(scalarMap('Environment variables of driver and workers, ASCII only.')),
    enable_elastic_disk: Type.Optional(Type.Boolean({ description: 'Not supported: always shown false.' })),
    instance_pool_id: Type.Optional(Type.String({ description: 'Pool of the nodes.' })),
    policy_id: Type.Optional(Type.String({ description: 'Cluster policy; it may supply the node type.' })),
    apply_policy_default_values: Type.Optional(
      Type.Boolean({ description: 'The policy also supplies its default values. Default: false.' }),
    ),
    runtime: Type.Optional(
      Type.Enum(['cold', 'warm'], {
        description:
          'warm: Python programs and notebooks are forked from a process of the cluster that imported their modules before. Default: that of the policy or of the service, else cold.',
      }),
    ),
  }),
  { description: 'A cluster that is created for the run.' },
);

export const MavenLibrary = Type.Object(
  {
    coordinates: Type.String({ description: 'Gradle-style coordinates, group:name:version.' }),
    repo: Type.Optional(
      Type.String({ description: 'Repository. Default: the default central repositories.' }),
    ),
    exclusions: Type.Optional(stringList('Dependencies to leave out.')),
  },
  { description: 'A Maven library.' },
);

const PythonPyPiLibrary = Type.Object(
  {
    package: Type.String({ description: 'Package name; an exact version is allowed.' }),
    repo: Type.Optional(Type.String({ description: 'Package index. Default: the default index.' })),
  },
  { description: 'A Python package.' },
);

export const RCranLibrary = Type.Object(
  {
    package: Type.String({ description: 'Package name.' }),
    repo: Type.Optional(Type.String({ description: 'Archive. Default: the default archive.' })),
  },
  { description: 'An R package.' },
);

/** Kinds of libraries. Every entry of `libraries` has exactly one. */
export const libraryKinds = ['jar', 'egg', 'whl', 'pypi', 'maven', 'cran'] as const;

export const Library = Type.Object(
  {
    jar: Type.Optional(Type.String({ description: 'URI of a JAR.' })),
    egg: Type.Optional(Type.String({ description: 'URI of an egg.' })),
    whl: Type.Optional(
      Type.String({ description: 'URI of a wheel named by the wheel convention, or of a .wheelhouse.zip.' }),
    ),
    pypi: Type.Optional(PythonPyPiLibrary),
    maven: Type.Optional(MavenLibrary),
    cran: Type.Optional(RCranLibrary),
  },
  { description: 'A library: exactly one of jar, egg, whl, pypi, maven, cran.' },
);

export type AutoScale = Static<typeof AutoScale>;
export type StorageInfo = Static<typeof StorageInfo>;
export type ClusterLogConf = Static<typeof ClusterLogConf>;
export type InitScriptInfo = Static<typeof InitScriptInfo>;
export type CloudAttributes = Static<typeof CloudAttributes>;
export type NewCluster = Static<typeof NewCluster>;
export type Library = Static<typeof Library>;
