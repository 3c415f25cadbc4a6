/**
 * What is asked of the places where pipelines, their files and their event logs are kept: types only.
 * storage/ implements them.
 */
import type { PipelineDocument } from '../pipeline/pipeline-document.ts';
import type { PipelineEvent } from '../pipeline/events.ts';
import type { UpdateRequest } from '../pipeline/select-tables.ts';
import type { SourceFile } from '../pipeline/source-location.ts';
import type { PipelineSpec } from '../pipeline/pipeline-spec.ts';
import type { PreparedUpdate, UpdatePlan } from '../pipeline/update-plan.ts';
import type { LifeCycleState, ResultState, StopReason } from '../run/states.ts';

/** A pipeline that the service knows. */
export interface StoredPipeline {
  /** UUID. */
  readonly pipelineId: string;
  /** In the order of creation. */
  readonly number: number;
  readonly name: string;
  readonly creator: string;
  /** Epoch ms. */
  readonly createdTime: number;
  readonly modifiedTime: number;
  /** As it was requested; undefined when a spec file says it. */
  readonly document: PipelineDocument | undefined;
  /** Path of its spec file in the workspace. */
  readonly specPath: string | undefined;
}

export type NewPipeline = Omit<StoredPipeline, 'number'>;

export type UpdateCause = 'API_CALL' | 'JOB_TASK';

/** An update, with where its run stands. */
export interface StoredUpdate {
  readonly updateId: string;
  readonly number: number;
  readonly pipelineId: string;
  readonly cause: UpdateCause;
  readonly request: UpdateRequest;
  /** Where it writes, once it has begun. */
  readonly storage: string | undefined;
  readonly createdTime: number;
  /** The task run that it is, the run that this belongs to, and their job. */
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
  /** False when another one has the name, and it may not be taken twice. */
  create(pipeline: NewPipeline, duplicates: boolean): Promise<boolean>;
  /**
   * Keeps a pipeline of a spec file under its id, with the name that the file has now. `taken`: another
   * pipeline has that name.
   */
  upsertFromSpec(pipeline: NewPipeline): Promise<StoredPipeline | 'taken'>;
  find(pipelineId: string): Promise<StoredPipeline | undefined>;
  listByName(name: string): Promise<StoredPipeline[]>;
  /** Newest first. @param like pattern of SQL for names */
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
  /** With its updates; its tables stay. */
  remove(pipelineId: string): Promise<'removed' | 'active' | 'gone'>;
  /** The update that an attempt is; made the first time it is asked for. */
  ensureUpdate(update: NewUpdate): Promise<string>;
  /**
   * Marks an update as the one of its pipeline that runs, unless another one does; that is the answer then.
   * One that only checks may run beside it.
   */
  claimUpdate(pipelineId: string, updateId: string, storage: string): Promise<StoredUpdate | undefined>;
  /** The update of a pipeline that is not over; the one that runs before those that wait. */
  findActiveUpdate(pipelineId: string): Promise<StoredUpdate | undefined>;
  /** Newest first. */
  listUpdates(
    pipelineId: string,
    page: { readonly before: number | undefined; readonly limit: number },
  ): Promise<StoredUpdate[]>;
  findUpdate(pipelineId: string, updateId: string): Promise<StoredUpdate | undefined>;
}

export interface PipelineFiles {
  /**
   * The spec file at a path of the workspace, or in the folder at it; undefined when nothing is there.
   * @throws ServiceError for a folder with none or several
   */
  findSpec(path: string): Promise<SourceFile | undefined>;
  /**
   * The files that the libraries name, by path. @param folder relative paths begin there @throws ServiceError
   * for what is not there
   */
  readSources(spec: PipelineSpec, folder: string): Promise<SourceFile[]>;
  /** Where a storage is on this machine. @throws ServiceError for one that leads outside of managed_fs */
  resolveStorage(uri: string): Promise<string>;
  /** The directories that pipelines may read. */
  readonly readableRoots: Pick<UpdatePlan, 'managedFs' | 'objstore'>;
  /** Whether it was kept for an attempt what its update is to do. */
  isUpdatePrepared(attemptDirectory: string): Promise<boolean>;
  savePreparedUpdate(attemptDirectory: string, update: PreparedUpdate): Promise<void>;
  /** The events that an update has written, oldest first. */
  readEvents(storage: string, updateId: string): Promise<PipelineEvent[]>;
}

/** Prepares the updates that attempts are. */
export interface UpdatePlanner {
  /**
   * Keeps in the attempt's directory what its update is to do, or why it cannot be done. Safe to be called
   * again.
   */
  prepareUpdate(assignment: {
    readonly runId: number;
    readonly directory: string;
    readonly task: Readonly<Record<string, unknown>>;
  }): Promise<void>;
}
