/** Service documents that clients request without a token before their first call. */
import type { FastifyInstance } from 'fastify';
import { probePath } from '../../engine/validation/aliases.ts';
import type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';
import { endpointNotFound } from './error-response.ts';

/**
 * Adds the description of the host that clients read, with strings only and without an account id, which would
 * make clients call the API of accounts. Other documents are 404: clients continue with their token then.
 * There is no OAuth server, so its metadata below `oidc_endpoint` is 404, too.
 */
export function addDiscoveryRoutes(app: FastifyInstance, workspace: WorkspaceInfo): void {
  const open = { config: { open: true } };
  app.get(probePath, open, async () => ({
    oidc_endpoint: `${workspace.publicUrl()}/oidc`,
    workspace_id: workspace.workspaceId,
    host_type: 'workspace',
  }));
  for (const path of ['/.well-known/*', '/oidc/.well-known/*']) {
    app.get(path, open, async (request) => {
      throw endpointNotFound(request.method, request.url);
    });
  }
}
