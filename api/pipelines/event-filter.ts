/** Filter of the event log: conditions on fields of events, joined by AND. */
import { invalid } from '../../engine/errors.ts';
import { quote } from '../../engine/validation/messages.ts';
import type { PipelineEvent } from '../../engine/pipeline/events.ts';

const filterFields: Readonly<Record<string, (event: PipelineEvent) => string>> = {
  level: ({ level }) => level,
  event_type: ({ event_type: type }) => type,
  update_id: ({ origin }) => origin.update_id,
  timestamp: ({ timestamp }) => timestamp,
  id: ({ id }) => id,
};

const comparisons: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '<>': (value, wanted) => value !== wanted,
  '!=': (value, wanted) => value !== wanted,
  '>': (value, wanted) => value > wanted,
  '>=': (value, wanted) => value >= wanted,
  '<': (value, wanted) => value < wanted,
  '<=': (value, wanted) => value <= wanted,
};

/**
 * Parses a filter into a predicate.
 * @throws ServiceError for an invalid condition
 */
export function parseEventFilter(filter: string): (event: PipelineEvent) => boolean {
  if (filter.trim() === '') return () => true;
  const conditions = filter
    .trim()
    .split(/\s+and\s+/i)
    .map((text) => parseCondition(text, filter));
  return (event) => conditions.every((holds) => holds(event));
}

function parseCondition(text: string, filter: string): (event: PipelineEvent) => boolean {
  const [, name = '', operator = '', list, value] =
    /^(\w+)\s*(=|<>|!=|>=|<=|>|<|in)\s*(?:\(((?:\s*'[^']*'\s*,?)+)\)|'([^']*)')$/i.exec(text.trim()) ?? [];
  const field = filterFields[name.toLowerCase()];
  const isList = operator.toLowerCase() === 'in';
  if (field === undefined || isList !== (list !== undefined)) {
    throw invalid(
      `filter is ${quote(filter)}; it must be conditions such as level = 'ERROR', level in ('WARN', 'ERROR') or timestamp > '2026-01-31T00:00:00.000Z' on ${Object.keys(filterFields).join(', ')}, joined by AND.`,
    );
  }
  if (list !== undefined) {
    const values = new Set([...list.matchAll(/'([^']*)'/g)].map(([, each]) => each));
    return (event) => values.has(field(event));
  }
  const holds = comparisons[operator];
  return (event) => holds?.(field(event), value ?? '') ?? false;
}
