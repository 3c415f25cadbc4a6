/** Updates of pipelines: finds pipelines by id, plans the update of an attempt, and starts updates. */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Clock } from './clock.ts';
import type { Inventory } from './cluster/inventory.ts';
import { invalid, messageOf, ServiceError } from './errors.ts';
import { checkSubmission } from './job/check-settings.ts';
import type { TaskKindInfo } from './job/task-kinds.ts';
import { quote } from './validation/messages.ts';
import { resolveUpdateCompute } from './pipeline-compute.ts';
import { submitRun, type LaunchPorts } from './launch.ts';
import type { Limits } from './limits.ts';
import { toPipelineSpec } from './pipeline/pipeline-document.ts';
import { checkUpdateRequest, type UpdateRequest } from './pipeline/select-tables.ts';
import { parseSpec, type PipelineSpec } from './pipeline/pipeline-spec.ts';
import type { PreparedUpdate } from './pipeline/update-plan.ts';
import type {
  PipelineFiles,
  PipelineStore,
  StoredPipeline,
  StoredUpdate,
  UpdatePlanner,
} from './ports/pipelines.ts';

export interface PipelinePorts {
  readonly pipelines: PipelineStore;
  readonly pipelineFiles: PipelineFiles;
  readonly clock: Clock;
  readonly limits: Limits;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds a pipeline by its UUID, its name, or the path of its folder or spec file in the workspace. A pipeline
 * found by path is stored.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST when there is none; for an invalid spec file, and for an
 *   ambiguous name
 */
export async function findPipeline(
  { pipelines, pipelineFiles, clock }: Omit<PipelinePorts, 'limits'>,
  id: string,
): Promise<StoredPipeline> {
  // Such text cannot be stored, so nothing has this name.
  if (id.includes('\0') || !id.isWellFormed()) throw pipelineNotFound(id);
  if (uuidPattern.test(id)) {
    const found = await pipelines.find(id.toLowerCase());
    if (found !== undefined) return found;
  }
  const [named, another] = await pipelines.listByName(id);
  if (another !== undefined)
    throw invalid(`Several pipelines are named ${quote(id)}; use the UUID instead of the name.`);
  if (named !== undefined) return named;
  const spec = id.startsWith('/') ? await pipelineFiles.findSpec(id) : undefined;
  if (spec === undefined) throw pipelineNotFound(id);
  const { name } = parseSpec(spec.text, spec.path);
  const now = clock.now();
  const stored = await pipelines.upsertFromSpec({
    pipelineId: pipelineIdOfPath(spec.path),
    name,
    creator: '',
    createdTime: now,
    modifiedTime: now,
    document: undefined,
    specPath: spec.path,
  });
  if (stored === 'taken')
    throw invalid(`${spec.path} has the name ${quote(name)}, which another pipeline has; names are unique.`);
  return stored;
}

export function pipelineNotFound(id: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `The specified pipeline ${id} was not found.`);
}

/** Returns the id of a spec file's pipeline; it stays the same after the pipeline was deleted. */
function pipelineIdOfPath(path: string): string {
  const hex = createHash('sha256').update(`pipeline ${path}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Loads the current spec of a pipeline, and the folder of its relative paths. */
export async function loadPipelineSpec(
  { pipelineFiles }: Pick<PipelinePorts, 'pipelineFiles'>,
  { document, specPath, name }: StoredPipeline,
): Promise<{ readonly spec: PipelineSpec; readonly folder: string }> {
  if (document !== undefined) return { spec: toPipelineSpec(document), folder: '/' };
  const file = specPath === undefined ? undefined : await pipelineFiles.findSpec(specPath);
  if (file === undefined)
    throw invalid(`The spec file ${specPath ?? ''} of pipeline ${name} does not exist any more.`);
  return { spec: parseSpec(file.text, file.path), folder: posix.dirname(file.path) };
}

/** Returns the directory of the tables of a pipeline. */
export function storageUriOf({ storage, name }: PipelineSpec): string {
  return storage ?? `managed_fs:/pipelines/${name}`;
}

/** Returns the update request of a pipeline_task. */
function toUpdateRequest(task: Readonly<Record<string, unknown>>): UpdateRequest {
  const names = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
  return {
    fullRefresh: task['full_refresh'] === true,
    validateOnly: task['validate_only'] === true,
    fullRefreshSelection: names(task['full_refresh_selection']),
    refreshSelection: names(task['refresh_selection']),
  };
}

/** @param ports ports that wait while the database is away */
export function createUpdatePlanner(ports: PlannerPorts): UpdatePlanner {
  const { pipelineFiles } = ports;
  return {
    async prepareUpdate({ runId, directory, task }) {
      let update = await pipelineFiles.readPreparedUpdate(directory);
      if (update === undefined) {
        update = await planUpdate(ports, runId, task);
        await pipelineFiles.savePreparedUpdate(directory, update);
      }
      return 'refused' in update ? undefined : update.compute;
    },
  };
}

type PlannerPorts = PipelinePorts & { readonly inventory: Inventory };

async function planUpdate(
  ports: PlannerPorts,
  runId: number,
  task: Readonly<Record<string, unknown>>,
): Promise<PreparedUpdate> {
  const { pipelines, pipelineFiles, clock, limits } = ports;
  try {
    const pipeline = await findPipeline(ports, String(task['pipeline_id']));
    const { pipelineId } = pipeline;
    const request = toUpdateRequest(task);
    const updateId = await pipelines.ensureUpdate({
      pipelineId,
      cause: 'JOB_TASK',
      request,
      createdTime: clock.now(),
      runId,
    });
    checkUpdateRequest(request);
    const { spec, folder } = await loadPipelineSpec(ports, pipeline);
    const uri = storageUriOf(spec);
    const other = await pipelines.claimUpdate(pipelineId, updateId, uri);
    if (other !== undefined) throw invalid(activeUpdateMessage(spec.name, other));
    const directory = await pipelineFiles.resolveStorage(uri);
    const sources = (await pipelineFiles.readSources(spec, folder)).map(({ path, text }) => ({ path, text }));
    const paths = sources.map(({ path }) => path);
    const facts = { spec, sources: paths, storage: directory };
    const compute = resolveUpdateCompute(facts, ports.inventory, limits);
    return {
      updateId,
      pipelineId,
      pipelineName: spec.name,
      storage: { directory, uri },
      ...pipelineFiles.readableRoots,
      ...(spec.catalog !== undefined && { catalog: spec.catalog }),
      ...(spec.schema !== undefined && { schema: spec.schema }),
      configuration: spec.configuration,
      sources,
      ...(compute && { compute: { cluster: compute.cluster, libraries: [...compute.libraries] } }),
      request: {
        ...request,
        fullRefreshSelection: [...request.fullRefreshSelection],
        refreshSelection: [...request.refreshSelection],
      },
      limits: { megabytes: limits.pipelineMegabytes, threads: limits.pipelineThreads },
    };
  } catch (error) {
    if (error instanceof ServiceError) return { refused: messageOf(error) };
    throw error;
  }
}

function activeUpdateMessage(name: string, { updateId, jobRunId }: StoredUpdate): string {
  return `Pipeline ${name} has the active update ${updateId} (run ${jobRunId}); one update of a pipeline runs at a time.`;
}

/**
 * Starts an update as a one-time run.
 * @throws ServiceError ALREADY_EXISTS while another update of the pipeline is active
 */
export async function startUpdate(
  ports: PipelinePorts & { readonly launching: LaunchPorts; readonly kinds: readonly TaskKindInfo[] },
  { pipelineId, name }: StoredPipeline,
  request: UpdateRequest,
  creator: string,
): Promise<string> {
  checkUpdateRequest(request);
  const settings = {
    run_name: `Update of pipeline ${name}`,
    pipeline_task: {
      pipeline_id: pipelineId,
      full_refresh: request.fullRefresh,
      validate_only: request.validateOnly,
      full_refresh_selection: [...request.fullRefreshSelection],
      refresh_selection: [...request.refreshSelection],
    },
  };
  const { launching, limits, kinds, clock } = ports;
  checkSubmission(settings, { version: '2.0', limits, kinds });
  let updateId = '';
  await submitRun(launching, {
    settings,
    version: '2.0',
    creator,
    launchHook: {
      async beforeAdmission(transaction) {
        const other = request.validateOnly ? undefined : await transaction.lockActiveUpdate(pipelineId);
        if (other !== undefined) throw new ServiceError('ALREADY_EXISTS', activeUpdateMessage(name, other));
      },
      async afterInsert(transaction, runId) {
        updateId = await transaction.insertUpdate({
          pipelineId,
          cause: 'API_CALL',
          request,
          createdTime: clock.now(),
          runId,
        });
      },
    },
  });
  return updateId;
}
