/** GET token-scopes: every scope, and the operations that it permits (spec 4.3, 5.6). */
import { Type } from 'typebox';
import { allApisScope, scopeDescriptions } from '../../engine/token/scopes.ts';
import { defineOperation, type Operation } from '../http/operation.ts';

const path = '/token-scopes';

/** The operations of a scope as they are shown, each once whatever its versions are. */
export function listOperationsInScope(scope: string, operations: readonly Operation[]): string[] {
  return operations
    .filter((operation) => scope === allApisScope || operation.scope === scope)
    .map(({ method, path: below, versions: [first] }) => `${method} /api/${first}${below}`);
}

/** Lists the scopes. @param operations all others that the service has */
export function listTokenScopesOperation(operations: readonly Operation[]): Operation {
  const own: Operation = defineOperation({
    method: 'GET',
    path,
    versions: ['2.0'],
    scope: 'authentication',
    summary: 'List the scopes',
    description:
      'Every scope that a token can have, what it is for, and the operations that it permits. Each operation belongs to exactly one; all-apis permits all.',
    request: Type.Object({}),
    response: Type.Object({
      scopes: Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'What tokens name.' }),
            description: Type.String({ description: 'What it is for.' }),
            operations: Type.Array(Type.String(), {
              description: 'Method and path, in the first version that has it.',
            }),
          },
          { description: 'One scope.' },
        ),
        { description: 'All of them.' },
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
