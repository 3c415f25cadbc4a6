/** Rendering of the message of a delivery, at its first attempt. */
import type {
  ClaimedDelivery,
  FailedTask,
  DeliveryMessage,
  SubjectDetails,
} from '../engine/notification/delivery.ts';
import { renderCause, withoutSentencesOf, type Explanation } from '../engine/run/explain/explanation.ts';
import type { WorkspaceInfo } from '../engine/run/workspace-info.ts';
import { renderMail, type TaskWithLog } from './mail-body.ts';
import { renderBody } from './webhook-body.ts';
import { createContent } from './notification-content.ts';

export interface MessagePorts {
  readonly site: WorkspaceInfo;
  /** Returns the last lines of the log of a task run; '' when there are none. */
  readonly logTail: (runId: number) => Promise<string>;
}

/** Renders a message. @param facts undefined when the run and the job do not exist any more */
export async function renderMessage(
  delivery: ClaimedDelivery,
  facts: SubjectDetails | undefined,
  { site, logTail }: MessagePorts,
): Promise<DeliveryMessage> {
  const content = createContent(delivery, facts, site);
  const target = 'address' in delivery.to ? undefined : delivery.to.destination?.target;
  if (target !== undefined && target.kind !== 'EMAIL') {
    return {
      kind: target.kind,
      body: JSON.stringify(renderBody(target.kind, delivery, facts, content, site)),
    };
  }
  const failed = delivery.event === 'on_failure' ? (facts?.failedTasks ?? []) : [];
  const said = delivery.facts.state?.explanation;
  const withLog = async (task: FailedTask): Promise<TaskWithLog> => ({
    ...task,
    message: messageOfTask(task, said),
    log: task.state === 'SKIPPED' ? '' : await logTail(task.runId),
  });
  const mail = renderMail(content, await Promise.all(failed.map(withLog)));
  const first = findFirstMail(delivery, facts);
  return mail.kind === 'mail' && first !== undefined ? { ...mail, inReplyTo: first } : mail;
}

/** Returns the message of a failed task; '' when the message as a whole has it already. */
function messageOfTask({ explanation, message }: FailedTask, said: Explanation | undefined): string {
  if (explanation === undefined) return said === undefined ? message : '';
  const added = withoutSentencesOf(explanation.cause, said?.cause ?? '');
  return added === '' ? '' : renderCause(added, explanation.place);
}

/** Returns the first mail about the same failure to the same address. */
function findFirstMail(
  { to, event }: ClaimedDelivery,
  facts: SubjectDetails | undefined,
): string | undefined {
  if (event !== 'on_failure' || !('address' in to)) return undefined;
  return facts?.earlierMails?.find(({ address }) => address === to.address)?.deliveryId;
}
