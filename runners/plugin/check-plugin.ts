/** Checks of the plugin contract. The built-in runners meet it too. */
import { Ajv } from 'ajv';
import { messageOf } from '../../engine/errors.ts';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import { quote } from '../../engine/validation/messages.ts';
import { contractVersion } from '../contract.ts';

/** Properties of a plugin as its module exports them, of any type. */
export interface UncheckedPlugin {
  readonly contract: unknown;
  readonly kind: unknown;
  readonly needsCluster: unknown;
  /** JSON text of the schema. */
  readonly schema: string | undefined;
  /** Result of `typeof`. */
  readonly run: string;
}

const kindPattern = /^[a-z][a-z0-9_]{0,63}_task$/;

/**
 * Returns the task kind of a plugin that meets the contract.
 * @param refuse called with the reason otherwise, which completes "The plugin ..."
 */
export function checkPlugin(
  { contract, kind, needsCluster, schema, run }: UncheckedPlugin,
  refuse: (reason: string) => never,
): Omit<PluginKind, 'module'> {
  if (contract !== contractVersion)
    refuse(
      `is written for contract ${quote(contract)}; this version of Runyard supports contract ${contractVersion}.`,
    );
  if (typeof kind !== 'string' || !kindPattern.test(kind))
    return refuse(
      `has the kind ${quote(kind)}; it must consist of lower-case letters, digits and "_", and end in "_task".`,
    );
  if (run !== 'function') refuse(`exports ${run} as "run"; it must be a function.`);
  if (typeof needsCluster !== 'boolean')
    return refuse(`has ${quote(needsCluster)} as "needsCluster"; it must be true or false.`);
  return { name: kind, needsCluster, schema: parseSchema(schema, refuse) };
}

function parseSchema(text: string | undefined, refuse: (reason: string) => never): object {
  const schema: unknown = text === undefined ? undefined : JSON.parse(text);
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || schema.type !== 'object') {
    return refuse('has no JSON schema of an object as "schema"; its "type" must be "object".');
  }
  // The schema becomes part of the schemas of the operations, where references would resolve to their parts.
  const reference = /"(\$ref|\$id|\$anchor|\$dynamicRef|\$dynamicAnchor|\$recursiveRef)":/.exec(
    text ?? '',
  )?.[1];
  if (reference !== undefined)
    return refuse(
      `has ${reference} in its schema; write out the referenced part, because schemas stand alone.`,
    );
  try {
    new Ajv({ strict: false, logger: false }).compile(schema);
  } catch (error) {
    return refuse(`has an invalid JSON schema: ${messageOf(error)}`);
  }
  return schema;
}
