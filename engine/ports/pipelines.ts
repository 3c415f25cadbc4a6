/** Pipelines, their updates, files and event logs. Types only; storage/ implements them. */
import type { PipelineDocument } from '../pipeline/pipeline-document.ts';
import type { PipelineEvent } from '../pipeline/events.ts';
import type { UpdateRequest } from '../pipeline/select-tables.ts';
import type { SourceFile } from '../pipeline/source-location.ts';
import type { PipelineSpec } from '../pipeline/pipeline-spec.ts';
import type { PreparedUpdate, UpdatePlan } from '../pipeline/update-plan.ts';
import type { LifeCycleState, ResultState, StopReason } from '../run/states.ts';

/** Row of a pipeline. */
export interface StoredPipeline {
  /** UUID. */
  readonly pipelineId: string;
  /** Sequence number in the order of creation. */
  readonly number: number;
  readonly name: string;
  readonly creator: string;
  /** Epoch ms. */
  readonly createdTime: number;
  readonly modifiedTime: number;
  /** Document of the request; undefined when the pipeline is defined by a spec file. */
  readonly document: PipelineDocument | undefined;
  /** Path of the spec file in the workspace. */
  readonly specPath: string | undefined;
}

export type NewPipeline = Omit<StoredPipeline, 'number'>;

export type UpdateCause = 'API_CALL' | 'JOB_TASK';

/** Row of an update, with the state of its run. */
export interface StoredUpdate {
  readonly updateId: string;
  readonly number: number;
  readonly pipelineId: string;
  readonly cause: UpdateCause;
  readonly request: UpdateRequest;
  /** Storage that the update writes to; undefined before it starts. */
  readonly storage: string | undefined;
  readonly createdTime: number;
  /** Task run of the update, the run of that task run, and their job. */
  readonly runId: number;
  readonly jobRunId: number;
  readonly jobId: number;
  readonly state: LifeCycleState;
  readonly result: ResultState | undefined;
  readonly message: string;
  readonly stopReason: StopReason | undefined;
  readonly endTime: number | undefined;
}

export type NewUpdate = Pick<StoredUpdate, 'pipelineId' | 'cause' | 'request' | 'createdTime' | 'runId'>;

export interface PipelineStore {
  /** Stores a pipeline; false when the name is taken and `duplicates` is false. */
  create(pipeline: NewPipeline, duplicates: boolean): Promise<boolean>;
  /**
   * Stores a pipeline that a spec file defines, or updates its name to that of the file. `taken`: another
   * pipeline has that name.
   */
  upsertFromSpec(pipeline: NewPipeline): Promise<StoredPipeline | 'taken'>;
  find(pipelineId: string): Promise<StoredPipeline | undefined>;
  listByName(name: string): Promise<StoredPipeline[]>;
  /** Lists pipelines, newest first. @param like SQL pattern for names */
  list(page: {
    readonly like: string | undefined;
    readonly before: number | undefined;
    readonly limit: number;
  }): Promise<StoredPipeline[]>;
  replace(
    pipelineId: string,
    name: string,
    document: PipelineDocument,
    duplicates: boolean,
    now: number,
  ): Promise<'replaced' | 'taken'>;
  /** Removes a pipeline and its updates, but not its tables. */
  remove(pipelineId: string): Promise<'removed' | 'active' | 'gone'>;
  /** Returns the id of the update that belongs to an attempt; stores the update on the first call. */
  ensureUpdate(update: NewUpdate): Promise<string>;
  /**
   * Marks an update as the running update of its pipeline. Returns the other update when one runs already; a
   * validation-only update may run beside it.
   */
  claimUpdate(pipelineId: string, updateId: string, storage: string): Promise<StoredUpdate | undefined>;
  /** Returns the active update of a pipeline: the running one, else one that waits. */
  findActiveUpdate(pipelineId: string): Promise<StoredUpdate | undefined>;
  /** Lists updates, newest first. */
  listUpdates(
    pipelineId: string,
    page: { readonly before: number | undefined; readonly limit: number },
  ): Promise<StoredUpdate[]>;
  findUpdate(pipelineId: string, updateId: string): Promise<StoredUpdate | undefined>;
}

export interface PipelineFiles {
  /**
   * Finds the spec file at a path of the workspace, or in the folder at that path; undefined when the path
   * does not exist.
   * @throws ServiceError for a folder with no spec file or several
   */
  findSpec(path: string): Promise<SourceFile | undefined>;
  /**
   * Reads the source files of the libraries, sorted by path.
   * @param folder base of relative paths
   * @throws ServiceError for a missing file
   */
  readSources(spec: PipelineSpec, folder: string): Promise<SourceFile[]>;
  /** Returns the directory of a storage. @throws ServiceError for a storage outside managed_fs */
  resolveStorage(uri: string): Promise<string>;
  /** Directories that pipelines may read. */
  readonly readableRoots: Pick<UpdatePlan, 'managedFs' | 'objstore'>;
  /** Reads the prepared update of an attempt; undefined when there is none. */
  readPreparedUpdate(attemptDirectory: string): Promise<PreparedUpdate | undefined>;
  savePreparedUpdate(attemptDirectory: string, update: PreparedUpdate): Promise<void>;
  /** Reads the events of an update, oldest first. */
  readEvents(storage: string, updateId: string): Promise<PipelineEvent[]>;
}

/** Prepares the updates of pipeline tasks. */
export interface UpdatePlanner {
  /**
   * Writes the plan of the update, or the reason why it cannot run, to the attempt's directory. Idempotent.
   * @returns the cluster of the update; undefined when it needs none
   */
  prepareUpdate(assignment: {
    readonly runId: number;
    readonly directory: string;
    readonly task: Readonly<Record<string, unknown>>;
  }): Promise<UpdatePlan['compute']>;
}
