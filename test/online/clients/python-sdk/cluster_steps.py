"""Clusters, instance pools and policies, with the selectors and waiters of the SDK."""
from databricks.sdk.service import compute
from sdk_client import client, short
from steps import error_of, step

state = {}


@step("clusters.select_node_type and select_spark_version choose known ones")
def _():
    types = {node.node_type_id for node in client.clusters.list_node_types().node_types}
    chosen = [
        client.clusters.select_node_type(local_disk=True),
        client.clusters.select_node_type(min_cores=2, min_memory_gb=4),
        client.clusters.select_node_type(local_disk=True, local_disk_min_size=10),
    ]
    versions = {version.key for version in client.clusters.spark_versions().versions}
    selected = [
        client.clusters.select_spark_version(long_term_support=True),
        client.clusters.select_spark_version(latest=True),
    ]
    return [set(chosen) <= types, set(selected) <= versions]


@step("clusters are created, edited, resized, restarted, stopped and started")
def _():
    cluster = client.clusters.create_and_wait(
        cluster_name="scenario",
        spark_version=client.clusters.select_spark_version(latest=True),
        node_type_id=client.clusters.select_node_type(local_disk=True),
        num_workers=1,
        autotermination_minutes=60,
        timeout=short,
    )
    state["cluster"] = cluster
    states = [cluster.state.value]
    edited = client.clusters.edit_and_wait(
        cluster.cluster_id,
        cluster.spark_version,
        cluster_name="edited",
        node_type_id=cluster.node_type_id,
        num_workers=2,
        timeout=short,
    )
    states += [edited.state.value, edited.cluster_name, edited.num_workers]
    states.append(client.clusters.resize_and_wait(cluster.cluster_id, num_workers=1, timeout=short).num_workers)
    states.append(client.clusters.restart_and_wait(cluster.cluster_id, timeout=short).state.value)
    states.append(client.clusters.delete_and_wait(cluster.cluster_id, timeout=short).state.value)
    client.clusters.ensure_cluster_is_running(cluster.cluster_id)
    states.append(client.clusters.get(cluster.cluster_id).state.value)
    return states


@step("clusters.list filters by state, and clusters can be pinned")
def _():
    cluster_id = state["cluster"].cluster_id

    def listed(**filters):
        found = client.clusters.list(filter_by=compute.ListClustersFilterBy(**filters))
        return [cluster.cluster_id == cluster_id for cluster in found if cluster.cluster_name == "edited"]

    client.clusters.pin(cluster_id)
    pinned = listed(is_pinned=True)
    client.clusters.unpin(cluster_id)
    return [
        pinned,
        listed(is_pinned=True),
        listed(cluster_states=[compute.State.RUNNING]),
        listed(cluster_states=[compute.State.TERMINATED]),
    ]


@step("clusters.events lists the events of a cluster")
def _():
    cluster_id = state["cluster"].cluster_id
    types = {event.type.value for event in client.clusters.events(cluster_id)}
    started = client.clusters.events(cluster_id, event_types=[compute.EventType.STARTING])
    return [{"CREATING", "STARTING", "RUNNING"} <= types, {event.type.value for event in started} == {"STARTING"}]


@step("clusters have zones and permissions")
def _():
    cluster_id = state["cluster"].cluster_id
    levels = client.clusters.get_permission_levels(cluster_id).permission_levels
    changed = client.clusters.set_permissions(
        cluster_id,
        access_control_list=[
            compute.ClusterAccessControlRequest(
                group_name="users", permission_level=compute.ClusterPermissionLevel.CAN_ATTACH_TO
            )
        ],
    )
    users = next(entry for entry in changed.access_control_list if entry.group_name == "users")
    zones = client.clusters.list_zones()
    return [
        sorted(level.permission_level.value for level in levels),
        [one.permission_level.value for one in users.all_permissions],
        zones.default_zone in zones.zones,
    ]


@step("clusters.permanent_delete removes a cluster")
def _():
    cluster_id = state["cluster"].cluster_id
    client.clusters.permanent_delete(cluster_id)
    return error_of(lambda: client.clusters.get(cluster_id)).replace(cluster_id, "ID")


@step("instance pools and cluster policies are created, edited, listed and deleted")
def _():
    pool = client.instance_pools.create("scenario", "standard-2")
    client.instance_pools.edit(pool.instance_pool_id, "renamed", "standard-2")
    pools = [one.instance_pool_name for one in client.instance_pools.list()]
    client.instance_pools.delete(pool.instance_pool_id)
    policy = client.cluster_policies.create(name="scenario", definition='{"num_workers":{"type":"fixed","value":1}}')
    client.cluster_policies.edit(policy.policy_id, name="renamed", definition='{"num_workers":{"type":"fixed","value":2}}')
    policies = [one.name for one in client.cluster_policies.list()]
    client.cluster_policies.delete(policy.policy_id)
    return ["renamed" in pools, "renamed" in policies, len(list(client.cluster_policies.list()))]
