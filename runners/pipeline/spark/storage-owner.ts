/** Storage of a pipeline on Spark: which engine and which pipeline it belongs to. */
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { invalid } from '../../../engine/errors.ts';
import { readHead, statIfExists, tryParseJson } from '../../../engine/read-file.ts';
import type { UpdatePlan } from '../../../engine/pipeline/update-plan.ts';
import { writeFileAtomically } from '../../process/pinned-command.ts';

const ownerFile = 'pipeline.json';
const OwnerSchema = Type.Object({ pipeline_id: Type.String() });

/** Directories that only one of the engines makes. */
const engineDirectories = { spark: 'metastore', duckdb: 'versions' } as const;
const engineNames = { spark: 'Spark', duckdb: 'DuckDB' } as const;

/** @throws ServiceError when the tables of a storage are those of the other engine */
export async function checkStorageEngine(
  { storage }: Pick<UpdatePlan, 'storage'>,
  engine: keyof typeof engineDirectories,
): Promise<void> {
  const other = engine === 'spark' ? 'duckdb' : 'spark';
  if ((await statIfExists(join(storage.directory, engineDirectories[other]))) === undefined) return;
  throw invalid(
    `The storage ${storage.uri} contains tables that ${engineNames[other]} computed, and this update runs in ` +
      `${engineNames[engine]}. Use another storage, delete that directory, or set runyard.pipeline.engine to ${other} ` +
      'in the configuration of the pipeline.',
  );
}

/**
 * Notes that a storage belongs to a pipeline.
 * @throws ServiceError when it belongs to another one
 */
export async function claimStorage({ storage, pipelineId }: UpdatePlan): Promise<void> {
  const file = join(storage.directory, ownerFile);
  const stored = tryParseJson((await readHead(file, 4_096)).text);
  if (!Check(OwnerSchema, stored))
    return writeFileAtomically(file, JSON.stringify({ pipeline_id: pipelineId }));
  if (stored.pipeline_id !== pipelineId)
    throw invalid(
      `The storage ${storage.uri} contains the tables of another pipeline (${stored.pipeline_id}). Use another storage, or delete that directory.`,
    );
}
