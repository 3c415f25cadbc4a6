/** Description of the time of day: `at 10:15`, `every 5 minutes from 08:00 to 18:59`. */
import type { QuartzExpression } from './quartz.ts';
import { formatRanges, joinWithAnd } from './format-list.ts';

/** Maximum number of times listed one by one. */
const listedTimesMax = 6;

/** Describes the times of day at which an expression fires. */
export function describeTime({ hours, minutes, seconds }: QuartzExpression): string {
  if (hours.length * minutes.length * seconds.length <= listedTimesMax) {
    return `at ${joinWithAnd(hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((second) => clockTime(hour, minute, second)))))}`;
  }
  const onMinute = seconds.length === 1 && seconds[0] === 0;
  const everyHours = evenStep(hours, 24);
  if (minutes.length === 1 && seconds.length === 1 && everyHours !== undefined) {
    const [minute = 0, second = 0, hour = 0] = [minutes[0], seconds[0], hours[0]];
    const past = onMinute ? `minute ${minute}` : `${padded(minute)}:${padded(second)} past the hour`;
    const start = hour === 0 ? '' : ` from hour ${hour}`;
    return everyHours === 1 ? `every hour at ${past}` : `every ${everyHours} hours${start}, at ${past}`;
  }
  const parts = [
    onMinute ? '' : describeUnit(seconds, 60, 'second'),
    onMinute || minutes.length < 60 ? describeUnit(minutes, 60, 'minute') : '',
    hours.length === 24 ? '' : describeHours(hours, minutes, onMinute),
  ].filter((part) => part !== '');
  return parts.join(parts.length > 1 && !onMinute ? ', ' : ' ');
}

/** Describes the seconds of a minute or the minutes of an hour. */
function describeUnit(values: readonly number[], size: number, unit: string): string {
  const step = evenStep(values, size);
  if (step === 1) return `every ${unit}`;
  const [first = 0] = values;
  if (step !== undefined && values.length > 1)
    return first === 0 ? `every ${step} ${unit}s` : `every ${step} ${unit}s from ${unit} ${first}`;
  return `at ${unit}${values.length === 1 ? '' : 's'} ${formatRanges(values)}`;
}

function describeHours(hours: readonly number[], minutes: readonly number[], onMinute: boolean): string {
  const [first = 0, last = 0] = [hours[0], hours.at(-1)];
  const consecutive = last - first === hours.length - 1;
  if (consecutive && onMinute)
    return `from ${clockTime(first, minutes[0] ?? 0, 0)} to ${clockTime(last, minutes.at(-1) ?? 0, 0)}`;
  return `in the hour${hours.length === 1 ? '' : 's'} ${formatRanges(hours)}`;
}

/** Returns the step of values spread evenly over a field of `size` values, such as 15 for 5, 20, 35, 50. */
function evenStep(values: readonly number[], size: number): number | undefined {
  const step = size / values.length;
  const [first = 0] = values;
  const even =
    Number.isInteger(step) && first < step && values.every((value, index) => value === first + index * step);
  return even ? step : undefined;
}

function clockTime(hour: number, minute: number, second: number): string {
  return `${padded(hour)}:${padded(minute)}${second === 0 ? '' : `:${padded(second)}`}`;
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}
