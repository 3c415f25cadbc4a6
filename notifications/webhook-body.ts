/** A notice as the body of a call: for receivers of one's own, for Slack, and for Teams. */
import type { DeliverySubject, SubjectDetails } from '../engine/notification/delivery.ts';
import type { DestinationTarget } from '../engine/notification/destination.ts';
import { eventTypeOf } from '../engine/notification/event-types.ts';
import type { WorkspaceInfo } from '../engine/run/workspace-info.ts';
import { toSingleLine, type Tone, type NotificationContent } from './notification-content.ts';
import { fixedLimits } from '../engine/limits.ts';

/** Ids are JSON numbers. */
export function renderGenericBody(
  subject: DeliverySubject,
  facts: SubjectDetails | undefined,
  site: WorkspaceInfo,
): object {
  const { event, jobId, runId, taskKey } = subject;
  return {
    event_type: eventTypeOf[event],
    workspace_id: Number(site.workspaceId),
    ...(runId !== undefined && {
      run: { run_id: runId, ...(facts?.parentRunId !== undefined && { parent_run_id: facts.parentRunId }) },
    }),
    ...(taskKey !== undefined && { task: { task_key: taskKey } }),
    ...(jobId !== undefined && { job: { job_id: jobId, name: facts?.jobName ?? '' } }),
  };
}

/** The body that a destination of this kind understands. */
export function renderBody(
  kind: Exclude<DestinationTarget['kind'], 'EMAIL'>,
  subject: DeliverySubject,
  facts: SubjectDetails | undefined,
  wording: NotificationContent,
  site: WorkspaceInfo,
): object {
  switch (kind) {
    case 'WEBHOOK':
      return renderGenericBody(subject, facts, site);
    case 'SLACK':
      return renderSlackBody(wording);
    case 'MICROSOFT_TEAMS':
      return renderTeamsBody(wording);
    default:
      return kind satisfies never;
  }
}

const toneEmojis: Readonly<Record<Tone, string>> = {
  plain: ':information_source:',
  good: ':white_check_mark:',
  bad: ':x:',
  warning: ':warning:',
};

/**
 * Blocks for the channel, and the headline for notifications. In Slack's text three characters mean
 * something.
 */
function renderSlackBody({ headline, tone, rows, link }: NotificationContent): object {
  const fit = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const title =
    link === undefined ? `*${fit(headline)}*` : `*<${fit(link)}|${fit(headline).replaceAll('|', '¦')}>*`;
  const fields = rows
    .map(([label, value]) => `*${fit(label)}:* ${fit(toSingleLine(value, fixedLimits.chatValueCharacters))}`)
    .join('\n');
  return {
    text: fit(headline),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `${toneEmojis[tone]} ${title}` } },
      { type: 'section', text: { type: 'mrkdwn', text: fields.slice(0, 2_900).toWellFormed() } },
    ],
  };
}

const colours: Readonly<Record<Tone, string>> = {
  plain: 'Accent',
  good: 'Good',
  bad: 'Attention',
  warning: 'Warning',
};

/** An adaptive card, which both the old connectors and the newer workflows of Teams take. */
function renderTeamsBody({ headline, tone, rows, link }: NotificationContent): object {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'TextBlock',
              text: escapeMarkdown(headline),
              weight: 'Bolder',
              size: 'Medium',
              color: colours[tone],
              wrap: true,
            },
            {
              type: 'FactSet',
              facts: rows.map(([title, value]) => ({
                title,
                value: escapeMarkdown(toSingleLine(value, fixedLimits.chatValueCharacters)),
              })),
            },
          ],
          ...(link !== undefined && {
            actions: [{ type: 'Action.OpenUrl', title: 'Open the run', url: link }],
          }),
        },
      },
    ],
  };
}

/** Cards read Markdown: a name must not become a link or a heading. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]#~<>]/g, '\\$&');
}
