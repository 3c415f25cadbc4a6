/** A notice as a mail: a plain part and an HTML part that say the same. */
import type { FailedTask, DeliveryMessage } from '../engine/notification/delivery.ts';
import { escaped } from './markup.ts';
import { inLine, type Tone, type Wording } from './wording.ts';

/** A failed task with the end of its log. */
export interface TaskWithLog extends FailedTask {
  readonly log: string;
}

/** The mail of a notice. */
export function mailOf(wording: Wording, tasks: readonly TaskWithLog[]): DeliveryMessage {
  return {
    kind: 'mail',
    subject: `[Runyard] ${inLine(wording.headline, 200)}`,
    text: plainText(wording, tasks),
    html: htmlOf(wording, tasks),
  };
}

function plainText({ headline, rows, link, closing }: Wording, tasks: readonly TaskWithLog[]): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return [
    headline,
    '',
    ...rows.map(([label, value]) => `${`${label}:`.padEnd(width + 2)}${value}`),
    ...(link === undefined ? [] : ['', `Open the run: ${link}`]),
    ...tasks.flatMap((task) => [
      '',
      `--- ${taskLine(task)}`,
      ...(task.message === '' ? [] : [task.message]),
      ...(task.log === ''
        ? []
        : ['', 'Last lines of its log:', ...task.log.split('\n').map((line) => `  ${line}`)]),
    ]),
    '',
    '-- ',
    closing,
    '',
  ].join('\n');
}

function taskLine({ taskKey, runId, state }: FailedTask): string {
  return `Task ${taskKey} (run ${runId}): ${state}`;
}

const colours: Readonly<Record<Tone, string>> = {
  plain: '#3b5b8c',
  good: '#1f7a4d',
  bad: '#b3261e',
  warning: '#9a6700',
};

const text =
  'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5;color:#1c2430';
const small = 'font-size:13px;line-height:1.5;color:#5b6675';
const code =
  'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px;line-height:1.45;white-space:pre-wrap;' +
  'word-break:break-word;background:#f3f5f8;border:1px solid #dde3ea;border-radius:6px;padding:10px 12px;margin:6px 0 0';

/** Styles stand in the elements, and the layout is a table: mail programs know little else. */
function htmlOf({ headline, tone, rows, link, closing }: Wording, tasks: readonly TaskWithLog[]): string {
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(headline)}</title></head>`,
    '<body style="margin:0;padding:24px 12px;background:#eef1f5">',
    `<table role="presentation" cellpadding="0" cellspacing="0" style="width:100%;max-width:640px;margin:0 auto;background:#fff;border-radius:8px;border-top:5px solid ${colours[tone]};${text}">`,
    `<tr><td style="padding:22px 26px 8px"><h1 style="margin:0;font-size:19px;line-height:1.35;color:${colours[tone]}">${escaped(headline)}</h1></td></tr>`,
    `<tr><td style="padding:6px 26px"><table role="presentation" cellpadding="0" cellspacing="0" style="${text}">`,
    ...rows.map(
      ([label, value]) =>
        `<tr><td style="padding:3px 18px 3px 0;vertical-align:top;white-space:nowrap;color:#5b6675">${escaped(label)}</td>` +
        `<td style="padding:3px 0;vertical-align:top;white-space:pre-wrap;word-break:break-word">${escaped(value)}</td></tr>`,
    ),
    '</table></td></tr>',
    ...(link === undefined
      ? []
      : [
          `<tr><td style="padding:12px 26px"><a href="${escaped(link)}" style="display:inline-block;background:${colours[tone]};color:#fff;text-decoration:none;padding:9px 16px;border-radius:6px">Open the run</a></td></tr>`,
        ]),
    ...tasks.map(taskHtml),
    `<tr><td style="padding:16px 26px 22px;${small}">${escaped(closing)}</td></tr>`,
    '</table></body></html>',
    '',
  ].join('\n');
}

function taskHtml(task: TaskWithLog): string {
  return [
    `<tr><td style="padding:12px 26px 2px"><div style="border-top:1px solid #dde3ea;padding-top:12px"><strong>${escaped(taskLine(task))}</strong>`,
    task.message === ''
      ? ''
      : `<div style="white-space:pre-wrap;word-break:break-word">${escaped(task.message)}</div>`,
    task.log === ''
      ? ''
      : `<div style="${small};margin-top:8px">Last lines of its log</div><pre style="${code}">${escaped(task.log)}</pre>`,
    '</div></td></tr>',
  ].join('');
}
