/** A filter: what is chosen in it sets parameters of datasets, and the widgets on them follow. */
import { useId, useState } from 'react';
import type { Selection, Widget } from '../api/dashboard-documents.ts';
import type { FilterValue, SetFilter } from './filter-values.ts';
import { formatted } from './formats.ts';
import { listIn, textIn, valuesOf } from './reading.ts';
import { useRows } from './use-rows.ts';

interface FilterControlProps {
  readonly widget: Widget;
  readonly spec: NonNullable<Widget['spec']>;
  readonly setFilter: SetFilter;
}

export function FilterControl({ widget, spec, setFilter }: FilterControlProps) {
  const id = useId();
  const { frame, selection, widgetType } = spec;
  const [value, setValue] = useState<FilterValue | undefined>();
  const change = (next: FilterValue | undefined): void => {
    setValue(next);
    setFilter(widget, next);
  };
  const source = widget.queries?.find(({ query }) => query.fields !== undefined);
  const { data, error } = useRows(widget.name, source);
  const column = listIn(spec.encodings, 'fields')
    .map((field) => textIn(field, 'fieldName'))
    .find((field) => field !== undefined);
  const choices =
    data === undefined || column === undefined
      ? []
      : [
          ...new Set(
            valuesOf(data, column)
              .filter((choice) => choice !== null)
              .map((choice) => formatted(choice)),
          ),
        ];
  const shared = { id, name: frame.title, choices, begin: selection?.defaultSelection ?? {}, value, change };
  return (
    <div className="filter">
      <label htmlFor={id} id={`${id}-label`}>
        {frame.title}
      </label>
      <Choice
        type={
          source === undefined &&
          widgetType !== 'filter-date-picker' &&
          widgetType !== 'filter-date-range-picker'
            ? 'filter-text-entry'
            : widgetType
        }
        {...shared}
      />
      {error !== null && (
        <p className="problem" role="alert">
          Its choices could not be read: {error.message}
        </p>
      )}
      {value !== undefined && (
        <button type="button" className="link" onClick={() => change(undefined)}>
          Back to the beginning
        </button>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly name: string;
  readonly choices: readonly string[];
  readonly begin: Selection;
  readonly value: FilterValue | undefined;
  readonly change: (value: FilterValue | undefined) => void;
}

function Choice({ type, ...props }: ChoiceProps & { readonly type: string }) {
  switch (type) {
    case 'filter-single-select':
      return <One {...props} />;
    case 'filter-multi-select':
      return <Several {...props} />;
    case 'filter-date-picker':
      return <Day {...props} />;
    case 'filter-date-range-picker':
      return <Range {...props} />;
    default:
      return <Entry {...props} />;
  }
}

function textsOf(value: FilterValue | undefined, begin: Selection): readonly string[] {
  if (value === undefined) return begin.values?.values.map((each) => each.value) ?? [];
  return typeof value === 'string' ? [value] : 'min' in value ? [] : value;
}

function One({ id, choices, begin, value, change }: ChoiceProps) {
  const [chosen = ''] = textsOf(value, begin);
  const all = choices.includes(chosen) ? choices : [chosen, ...choices];
  return (
    <select id={id} value={chosen} onChange={(event) => change(event.target.value)}>
      {all.map((choice) => (
        <option key={choice} value={choice}>
          {choice === '' ? '(none)' : choice}
        </option>
      ))}
    </select>
  );
}

function Several({ id, name, choices, begin, value, change }: ChoiceProps) {
  const chosen = textsOf(value, begin);
  const all = [...choices, ...chosen.filter((each) => !choices.includes(each))];
  return (
    <details className="several">
      <summary id={id} aria-label={`${name}: ${chosen.join(', ') || 'none'}`}>
        {chosen.length === 0 ? 'none' : chosen.join(', ')}
      </summary>
      <div role="group" aria-label={name}>
        {all.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={(event) =>
                change(event.target.checked ? [...chosen, choice] : chosen.filter((each) => each !== choice))
              }
            />{' '}
            {choice}
          </label>
        ))}
      </div>
    </details>
  );
}

/** Set when it is left, or with the Enter key: not with every letter. */
function Entry({ id, begin, value, change }: ChoiceProps) {
  const chosen = textsOf(value, begin).join(', ');
  return (
    <input
      id={id}
      key={chosen}
      defaultValue={chosen}
      onBlur={(event) => {
        if (event.target.value !== chosen) change(event.target.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
}

/** Dates as the browser's field has them; one that moves is said beside it. */
function DateInput({
  id,
  label,
  isTime,
  text,
  set,
}: {
  readonly id?: string;
  readonly label?: string;
  readonly isTime: boolean;
  readonly text: string;
  readonly set: (text: string) => void;
}) {
  const isFixed = /^\d{4}-\d{2}-\d{2}/.test(text);
  return (
    <>
      <input
        id={id}
        aria-label={label}
        type={isTime ? 'datetime-local' : 'date'}
        key={text}
        defaultValue={isFixed ? text.slice(0, isTime ? 16 : 10) : ''}
        onBlur={(event) => {
          if (event.target.value !== '' && event.target.value !== text.slice(0, isTime ? 16 : 10))
            set(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      {!isFixed && text !== '' && <span className="hint">{text}</span>}
    </>
  );
}

function Day({ id, begin, value, change }: ChoiceProps) {
  const [text = ''] = textsOf(value, begin);
  return <DateInput id={id} isTime={begin.values?.dataType === 'DATETIME'} text={text} set={change} />;
}

function Range({ id, name, begin, value, change }: ChoiceProps) {
  const ends =
    typeof value === 'object' && 'min' in value
      ? value
      : { min: begin.range?.min.value ?? '', max: begin.range?.max.value ?? '' };
  const isTime = begin.range?.dataType === 'DATETIME';
  return (
    <span className="range">
      <DateInput id={id} isTime={isTime} text={ends.min} set={(min) => change({ ...ends, min })} />
      <span aria-hidden="true">–</span>
      <DateInput
        label={`${name}, end`}
        isTime={isTime}
        text={ends.max}
        set={(max) => change({ ...ends, max })}
      />
    </span>
  );
}
