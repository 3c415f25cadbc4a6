"""Tokens and their management."""
from databricks.sdk import WorkspaceClient
from databricks.sdk.service import iam
from sdk_client import admin, client
from steps import error_of, step


@step("tokens are created, listed and revoked")
def _():
    created = client.tokens.create(comment="scenario", lifetime_seconds=3600)
    other = WorkspaceClient(host=client.config.host, token=created.token_value)
    who = other.current_user.me().user_name == admin
    listed = [token.comment for token in client.tokens.list() if token.token_id == created.token_info.token_id]
    client.tokens.delete(created.token_info.token_id)
    return [who, listed, error_of(other.current_user.me).split(":")[0]]


@step("token management creates, lists and revokes tokens of service principals")
def _():
    principal = client.service_principals.create(display_name="scenario", active=True)
    created = client.token_management.create_obo_token(principal.application_id, comment="obo", lifetime_seconds=600)
    listed = [token.comment for token in client.token_management.list() if token.token_id == created.token_info.token_id]
    read = client.token_management.get(created.token_info.token_id).token_info.owner_id is not None
    client.token_management.delete(created.token_info.token_id)
    client.service_principals.delete(principal.id)
    return [listed, read]


@step("token permissions are read and replaced")
def _():
    levels = client.permissions.get_permission_levels("authorization", "tokens").permission_levels
    changed = client.permissions.set(
        "authorization",
        "tokens",
        access_control_list=[
            iam.AccessControlRequest(group_name="users", permission_level=iam.PermissionLevel.CAN_USE)
        ],
    )
    groups = [entry.group_name for entry in changed.access_control_list]
    return [sorted(level.permission_level.value for level in levels), "users" in groups]
