/**
 * Facts of a Spark application, from the lines of its event log: executors, jobs, stages, and the progress of each
 * task of a cluster that shares the application.
 */
import { tryParseJson } from '../read-file.ts';
import {
  noProgress,
  type PlannedStage,
  type SparkApplication,
  type SparkJob,
  type SparkProgress,
} from './spark-application.ts';
import { isRecord, type JsonObject } from '../validation/json-object.ts';

/** Maximum of remembered executors and sessions; the oldest are forgotten first. */
const rememberedMax = 1_000;
const failureCharactersMax = 500;

const taskEnd = /^\{"Event":"SparkListenerTaskEnd","Stage ID":(\d+),.{0,200}?"Reason":"Success"/;

/** Adds a line of an event log. Lines of unknown events and damaged lines change nothing. */
export function foldSparkEvent(application: SparkApplication, line: string): void {
  // Most lines are ends of tasks; they are long, and only their beginning counts.
  const [, stageId] = taskEnd.exec(line) ?? [];
  if (stageId !== undefined) return finishTask(application, Number(stageId));
  const [, name = ''] = /^\{"Event":"SparkListener(\w+)"/.exec(line) ?? [];
  const fold = Object.hasOwn(folds, name) ? folds[name] : undefined;
  if (fold === undefined) return;
  const event = tryParseJson(line);
  if (isRecord(event)) fold(application, event);
}

const folds: Readonly<Record<string, (application: SparkApplication, event: JsonObject) => void>> = {
  LogStart(application, event) {
    application.sparkVersion = text(event, 'Spark Version');
  },
  ApplicationStart(application, event) {
    application.applicationId = text(event, 'App ID');
    application.name = text(event, 'App Name');
    application.startedTime = count(event, 'Timestamp');
  },
  ApplicationEnd(application, event) {
    application.endedTime = count(event, 'Timestamp');
    application.stages.clear();
    application.jobs.clear();
  },
  ExecutorAdded({ executors }, event) {
    const info = part(event, 'Executor Info');
    const id = text(event, 'Executor ID');
    const urls = Object.entries(part(info, 'Log Urls')).filter(([, url]) => typeof url === 'string');
    executors.set(id, {
      id,
      host: text(info, 'Host'),
      cores: count(info, 'Total Cores'),
      addedTime: count(event, 'Timestamp'),
      logUrls: Object.fromEntries(urls) as Record<string, string>,
    });
    forgetOldest(executors);
  },
  ExecutorRemoved({ executors }, event) {
    const executor = executors.get(text(event, 'Executor ID'));
    if (executor === undefined) return;
    executors.set(executor.id, {
      ...executor,
      removedTime: count(event, 'Timestamp'),
      removedReason: text(event, 'Removed Reason').slice(0, failureCharactersMax),
    });
  },
  JobStart: startJob,
  JobEnd: endJob,
  StageSubmitted: startStage,
  StageCompleted: endStage,
};

/** Returns the session that started a job, and remembers its user; empty for an application without sessions. */
function sessionOf(application: SparkApplication, event: JsonObject): string {
  const tags = text(part(event, 'Properties'), 'spark.job.tags');
  const [, session = ''] = /(?:^|,)(spark-session-[\da-f-]{36})(?:,|$)/.exec(tags) ?? [];
  const [, user] = /(?:^|,)SparkConnect_OperationTag_User_(.+?)_Session_/.exec(tags) ?? [];
  if (user !== undefined) application.users.set(session, user);
  forgetOldest(application.users);
  return session;
}

function startJob(application: SparkApplication, event: JsonObject): void {
  const infos = event['Stage Infos'];
  const stages = (Array.isArray(infos) ? infos : []).filter(isRecord).map(planStage);
  const open = new Map(stages.map((stage): [number, PlannedStage] => [stage.stageId, stage]));
  const session = sessionOf(application, event);
  const job = { session, open };
  application.jobs.set(count(event, 'Job ID'), job);
  const progress = progressOf(application, session);
  progress.jobs += 1;
  progress.stages += open.size;
  progress.tasks += tasksOf(open);
  startReadyStages(application, job, count(event, 'Submission Time'));
}

function planStage(info: JsonObject): PlannedStage {
  const parents = info['Parent IDs'];
  return {
    stageId: count(info, 'Stage ID'),
    name: text(info, 'Stage Name'),
    tasks: count(info, 'Number of Tasks'),
    parents: (Array.isArray(parents) ? parents : []).map(Number),
  };
}

/**
 * Starts the stages that wait for no other one: Spark writes their submission to the log with a later event, which
 * may take as long as the stage.
 */
function startReadyStages(application: SparkApplication, { session, open }: SparkJob, now: number): void {
  for (const { stageId, name, tasks, parents } of open.values()) {
    if (application.stages.has(stageId) || parents.some((parent) => open.has(parent))) continue;
    application.stages.set(stageId, { stageId, name, tasks, tasksDone: 0, startedTime: now, session });
  }
}

function endJob(application: SparkApplication, event: JsonObject): void {
  const jobId = count(event, 'Job ID');
  const job = application.jobs.get(jobId);
  if (job === undefined) return;
  application.jobs.delete(jobId);
  for (const stageId of job.open.keys()) application.stages.delete(stageId);
  const progress = progressOf(application, job.session);
  const result = part(event, 'Job Result');
  if (text(result, 'Result') === 'JobSucceeded') {
    progress.jobsDone += 1;
    // What is still open was skipped: an earlier job has computed it.
    progress.stagesDone += job.open.size;
    progress.tasksDone += tasksOf(job.open);
    return;
  }
  progress.jobsFailed += 1;
  application.lastFailure = text(part(result, 'Exception'), 'Message').slice(0, failureCharactersMax);
}

function startStage(application: SparkApplication, event: JsonObject): void {
  const info = part(event, 'Stage Info');
  const { stageId, name, tasks } = planStage(info);
  const session = jobOf(application, stageId)?.session ?? '';
  const startedTime = count(info, 'Submission Time');
  application.stages.set(stageId, { stageId, name, tasks, tasksDone: 0, startedTime, session });
}

function endStage(application: SparkApplication, event: JsonObject): void {
  const info = part(event, 'Stage Info');
  const stageId = count(info, 'Stage ID');
  const stage = application.stages.get(stageId);
  application.stages.delete(stageId);
  const job = jobOf(application, stageId);
  if (job === undefined) return;
  const progress = progressOf(application, job.session);
  // A stage that failed is tried again, and its tasks are counted again.
  if (info['Failure Reason'] !== undefined) {
    progress.tasksDone -= stage?.tasksDone ?? 0;
    return;
  }
  job.open.delete(stageId);
  progress.stagesDone += 1;
  startReadyStages(application, job, count(info, 'Completion Time'));
}

function finishTask(application: SparkApplication, stageId: number): void {
  const stage = application.stages.get(stageId);
  // A second copy of a slow task adds nothing.
  if (stage === undefined || stage.tasksDone >= stage.tasks) return;
  stage.tasksDone += 1;
  progressOf(application, stage.session).tasksDone += 1;
}

function jobOf({ jobs }: SparkApplication, stageId: number): SparkJob | undefined {
  return [...jobs.values()].find(({ open }) => open.has(stageId));
}

function progressOf({ progress }: SparkApplication, session: string): SparkProgress {
  const known = progress.get(session);
  if (known !== undefined) return known;
  const made = noProgress();
  progress.set(session, made);
  forgetOldest(progress);
  return made;
}

function forgetOldest(entries: Map<string, unknown>): void {
  for (const key of entries.keys()) {
    if (entries.size <= rememberedMax) return;
    entries.delete(key);
  }
}

function part(fields: JsonObject, name: string): JsonObject {
  const value = fields[name];
  return isRecord(value) ? value : {};
}

function text(fields: JsonObject, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function count(fields: JsonObject, name: string): number {
  const value = fields[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function tasksOf(stages: ReadonlyMap<number, PlannedStage>): number {
  return [...stages.values()].reduce((all, { tasks }) => all + tasks, 0);
}
