/** From a delivery to what is sent: made once, at its first try, and kept. */
import type {
  ClaimedDelivery,
  FailedTask,
  DeliveryMessage,
  SubjectDetails,
} from '../engine/notification/delivery.ts';
import type { WorkspaceInfo } from '../engine/run/workspace-info.ts';
import { renderMail, type TaskWithLog } from './mail-body.ts';
import { renderBody } from './webhook-body.ts';
import { createContent } from './notification-content.ts';

export interface MessagePorts {
  readonly site: WorkspaceInfo;
  /** The last lines that an attempt wrote; empty when there are none. */
  readonly logTail: (runId: number) => Promise<string>;
}

/** @param facts undefined when run and job are gone */
export async function renderMessage(
  delivery: ClaimedDelivery,
  facts: SubjectDetails | undefined,
  { site, logTail }: MessagePorts,
): Promise<DeliveryMessage> {
  const wording = createContent(delivery, facts, site);
  const target = 'address' in delivery.to ? undefined : delivery.to.destination?.target;
  if (target !== undefined && target.kind !== 'EMAIL') {
    return {
      kind: target.kind,
      body: JSON.stringify(renderBody(target.kind, delivery, facts, wording, site)),
    };
  }
  const failed = delivery.event === 'on_failure' ? (facts?.failedTasks ?? []) : [];
  const withLog = async (task: FailedTask): Promise<TaskWithLog> => ({
    ...task,
    log: task.state === 'SKIPPED' ? '' : await logTail(task.runId),
  });
  return renderMail(wording, await Promise.all(failed.map(withLog)));
}
