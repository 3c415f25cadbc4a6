/** E-mail bodies: a plain text part and an HTML part with the same content. */
import type { FailedTask, DeliveryMessage } from '../engine/notification/delivery.ts';
import { escapeHtml } from './escape-html.ts';
import { toSingleLine, type Tone, type NotificationContent } from './notification-content.ts';

/** Failed task with the last lines of its log. */
export interface TaskWithLog extends FailedTask {
  readonly log: string;
}

/** Renders the e-mail of a notification. */
export function renderMail(content: NotificationContent, tasks: readonly TaskWithLog[]): DeliveryMessage {
  return {
    kind: 'mail',
    subject: `[Runyard] ${toSingleLine(content.headline, 200)}`,
    text: renderPlainText(content, tasks),
    html: renderHtml(content, tasks),
  };
}

function renderPlainText(
  { headline, rows, link, footer }: NotificationContent,
  tasks: readonly TaskWithLog[],
): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return [
    headline,
    '',
    ...rows.map(([label, value]) => `${`${label}:`.padEnd(width + 2)}${value}`),
    ...(link === undefined ? [] : ['', `Open the run: ${link}`]),
    ...tasks.flatMap((task) => [
      '',
      `--- ${renderTaskLine(task)}`,
      ...(task.message === '' ? [] : [task.message]),
      ...(task.log === ''
        ? []
        : ['', 'Last lines of its log:', ...task.log.split('\n').map((line) => `  ${line}`)]),
    ]),
    '',
    '-- ',
    footer,
    '',
  ].join('\n');
}

function renderTaskLine({ taskKey, runId, state }: FailedTask): string {
  return `Task ${taskKey} (run ${runId}): ${state}`;
}

const colours: Readonly<Record<Tone, string>> = {
  plain: '#3b5b8c',
  good: '#1f7a4d',
  bad: '#b3261e',
  warning: '#9a6700',
};

const textStyle =
  'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5;color:#1c2430';
const smallStyle = 'font-size:13px;line-height:1.5;color:#5b6675';
const codeStyle =
  'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px;line-height:1.45;white-space:pre-wrap;' +
  'word-break:break-word;background:#f3f5f8;border:1px solid #dde3ea;border-radius:6px;padding:10px 12px;margin:6px 0 0';

/** Renders HTML with inline styles and a table layout, because mail programs support little else. */
function renderHtml(
  { headline, tone, rows, link, footer }: NotificationContent,
  tasks: readonly TaskWithLog[],
): string {
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(headline)}</title></head>`,
    '<body style="margin:0;padding:24px 12px;background:#eef1f5">',
    `<table role="presentation" cellpadding="0" cellspacing="0" style="width:100%;max-width:640px;margin:0 auto;background:#fff;border-radius:8px;border-top:5px solid ${colours[tone]};${textStyle}">`,
    `<tr><td style="padding:22px 26px 8px"><h1 style="margin:0;font-size:19px;line-height:1.35;color:${colours[tone]}">${escapeHtml(headline)}</h1></td></tr>`,
    `<tr><td style="padding:6px 26px"><table role="presentation" cellpadding="0" cellspacing="0" style="${textStyle}">`,
    ...rows.map(
      ([label, value]) =>
        `<tr><td style="padding:3px 18px 3px 0;vertical-align:top;white-space:nowrap;color:#5b6675">${escapeHtml(label)}</td>` +
        `<td style="padding:3px 0;vertical-align:top;white-space:pre-wrap;word-break:break-word">${escapeHtml(value)}</td></tr>`,
    ),
    '</table></td></tr>',
    ...(link === undefined
      ? []
      : [
          `<tr><td style="padding:12px 26px"><a href="${escapeHtml(link)}" style="display:inline-block;background:${colours[tone]};color:#fff;text-decoration:none;padding:9px 16px;border-radius:6px">Open the run</a></td></tr>`,
        ]),
    ...tasks.map(renderTaskHtml),
    `<tr><td style="padding:16px 26px 22px;${smallStyle}">${escapeHtml(footer)}</td></tr>`,
    '</table></body></html>',
    '',
  ].join('\n');
}

function renderTaskHtml(task: TaskWithLog): string {
  return [
    `<tr><td style="padding:12px 26px 2px"><div style="border-top:1px solid #dde3ea;padding-top:12px"><strong>${escapeHtml(renderTaskLine(task))}</strong>`,
    task.message === ''
      ? ''
      : `<div style="white-space:pre-wrap;word-break:break-word">${escapeHtml(task.message)}</div>`,
    task.log === ''
      ? ''
      : `<div style="${smallStyle};margin-top:8px">Last lines of its log</div><pre style="${codeStyle}">${escapeHtml(task.log)}</pre>`,
    '</div></td></tr>',
  ].join('');
}
