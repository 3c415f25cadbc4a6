/** GET token-scopes (spec 4.3, 5.6). */
import { Type } from 'typebox';
import { allApisScope, scopeDescriptions } from '../../engine/token/scopes.ts';
import { defineOperation, type Operation } from '../http/operation.ts';

const path = '/token-scopes';

/** Returns method and path of each operation of a scope, in the first version that serves it. */
function listOperationsInScope(scope: string, operations: readonly Operation[]): string[] {
  return operations
    .filter((operation) => scope === allApisScope || operation.scope === scope)
    .map(({ method, path: below, versions: [first] }) => `${method} /api/${first}${below}`);
}

/**
 * Lists the scopes with their operations.
 * @param operations all other operations of the service
 */
export function listTokenScopesOperation(operations: readonly Operation[]): Operation {
  const own: Operation = defineOperation({
    method: 'GET',
    path,
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'List scopes',
    description:
      'Lists all token scopes with their purpose and the operations they permit. Each operation belongs to exactly one scope; all-apis permits all operations.',
    request: Type.Object({}),
    response: Type.Object({
      scopes: Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'Name of the scope in tokens.' }),
            description: Type.String({ description: 'Purpose of the scope.' }),
            operations: Type.Array(Type.String(), {
              description: 'Method and path in the first version that serves the operation.',
            }),
          },
          { description: 'Scope with its operations.' },
        ),
        { description: 'All scopes.' },
      ),
    }),
    async handle() {
      return {
        scopes: Object.entries(scopeDescriptions).map(([name, description]) => ({
          name,
          description,
          operations: listOperationsInScope(name, [...operations, own]),
        })),
      };
    },
  });
  return own;
}
