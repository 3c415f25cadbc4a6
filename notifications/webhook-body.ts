/** Webhook bodies of a notification: generic, for Slack, and for Microsoft Teams. */
import type { DeliverySubject, SubjectDetails } from '../engine/notification/delivery.ts';
import type { DestinationTarget } from '../engine/notification/destination.ts';
import { eventTypeOf } from '../engine/notification/event-types.ts';
import type { WorkspaceInfo } from '../engine/run/workspace-info.ts';
import { toSingleLine, type Tone, type NotificationContent } from './notification-content.ts';
import { fixedLimits } from '../engine/limits.ts';

/** Renders the generic body; ids are JSON numbers. */
function renderGenericBody(
  subject: DeliverySubject,
  facts: SubjectDetails | undefined,
  site: WorkspaceInfo,
): object {
  const { event, jobId, runId, taskKey, facts: details } = subject;
  const { explanation } = details.state ?? {};
  return {
    event_type: eventTypeOf[event],
    workspace_id: Number(site.workspaceId),
    ...(runId !== undefined && {
      run: { run_id: runId, ...(facts?.parentRunId !== undefined && { parent_run_id: facts.parentRunId }) },
    }),
    ...(taskKey !== undefined && { task: { task_key: taskKey } }),
    ...(jobId !== undefined && { job: { job_id: jobId, name: facts?.jobName ?? '' } }),
    ...(explanation !== undefined && { explanation }),
  };
}

/** Renders the body for a kind of destination. */
export function renderBody(
  kind: Exclude<DestinationTarget['kind'], 'EMAIL'>,
  subject: DeliverySubject,
  facts: SubjectDetails | undefined,
  content: NotificationContent,
  site: WorkspaceInfo,
): object {
  switch (kind) {
    case 'WEBHOOK':
      return renderGenericBody(subject, facts, site);
    case 'SLACK':
      return renderSlackBody(content);
    case 'MICROSOFT_TEAMS':
      return renderTeamsBody(content);
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

/** Renders blocks for the channel, and a text for notifications. Slack requires &, < and > to be escaped. */
function renderSlackBody({ headline, tone, rows, link }: NotificationContent): object {
  const escape = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const title =
    link === undefined
      ? `*${escape(headline)}*`
      : `*<${escape(link)}|${escape(headline).replaceAll('|', '¦')}>*`;
  const fields = rows
    .map(
      ([label, value]) =>
        `*${escape(label)}:* ${escape(toSingleLine(value, fixedLimits.chatValueCharacters))}`,
    )
    .join('\n');
  return {
    text: escape(headline),
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

/** Renders an adaptive card, which old connectors and newer workflows of Teams accept. */
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

/** Escapes Markdown, so that a name in a card does not become a link or a heading. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]#~<>]/g, '\\$&');
}
