/** Filter widget: its value sets parameters of datasets, and the widgets on them reload. */
import { useId, useState } from 'react';
import type { Selection, Widget } from '../api/dashboard-documents.ts';
import type { FilterValue, OnFilterChange } from './filter-values.ts';
import { formatValue } from './formats.ts';
import { getList, getText, columnValuesOf } from './encodings.ts';
import { useRows } from './use-rows.ts';

interface FilterControlProps {
  readonly widget: Widget;
  readonly spec: NonNullable<Widget['spec']>;
  readonly onFilterChange: OnFilterChange;
}

export function FilterControl({ widget, spec, onFilterChange }: FilterControlProps) {
  const id = useId();
  const { frame, selection, widgetType } = spec;
  const [value, setValue] = useState<FilterValue | undefined>();
  const onChange = (next: FilterValue | undefined): void => {
    setValue(next);
    onFilterChange(widget, next);
  };
  const source = widget.queries?.find(({ query }) => query.fields !== undefined);
  const { data, error } = useRows(widget.name, source);
  const column = getList(spec.encodings, 'fields')
    .map((field) => getText(field, 'fieldName'))
    .find((field) => field !== undefined);
  const choices =
    data === undefined || column === undefined
      ? []
      : [
          ...new Set(
            columnValuesOf(data, column)
              .filter((choice) => choice !== null)
              .map((choice) => formatValue(choice)),
          ),
        ];
  const shared = {
    id,
    name: frame.title,
    choices,
    defaultSelection: selection?.defaultSelection ?? {},
    value,
    onChange,
  };
  return (
    <div className="filter">
      <label htmlFor={id} id={`${id}-label`}>
        {frame.title}
      </label>
      <FilterInput
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
          Could not load the choices: {error.message}
        </p>
      )}
      {value !== undefined && (
        <button type="button" className="link" onClick={() => onChange(undefined)}>
          Reset
        </button>
      )}
    </div>
  );
}

interface FilterInputProps {
  readonly id: string;
  readonly name: string;
  readonly choices: readonly string[];
  readonly defaultSelection: Selection;
  readonly value: FilterValue | undefined;
  readonly onChange: (value: FilterValue | undefined) => void;
}

function FilterInput({ type, ...props }: FilterInputProps & { readonly type: string }) {
  switch (type) {
    case 'filter-single-select':
      return <SingleSelect {...props} />;
    case 'filter-multi-select':
      return <MultiSelect {...props} />;
    case 'filter-date-picker':
      return <DatePicker {...props} />;
    case 'filter-date-range-picker':
      return <DateRangePicker {...props} />;
    default:
      return <TextEntry {...props} />;
  }
}

function selectedTexts(value: FilterValue | undefined, defaultSelection: Selection): readonly string[] {
  if (value === undefined) return defaultSelection.values?.values.map((each) => each.value) ?? [];
  return typeof value === 'string' ? [value] : 'min' in value ? [] : value;
}

function SingleSelect({ id, choices, defaultSelection, value, onChange: change }: FilterInputProps) {
  const [chosen = ''] = selectedTexts(value, defaultSelection);
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

function MultiSelect({ id, name, choices, defaultSelection, value, onChange: change }: FilterInputProps) {
  const chosen = selectedTexts(value, defaultSelection);
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

/** Text input; changes take effect on blur or Enter, not with every key. */
function TextEntry({ id, defaultSelection, value, onChange }: FilterInputProps) {
  const chosen = selectedTexts(value, defaultSelection).join(', ');
  return (
    <input
      id={id}
      key={chosen}
      defaultValue={chosen}
      onBlur={(event) => {
        if (event.target.value !== chosen) onChange(event.target.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
}

/** Date input of the browser; shows a relative date as text beside it. */
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

function DatePicker({ id, defaultSelection, value, onChange }: FilterInputProps) {
  const [text = ''] = selectedTexts(value, defaultSelection);
  return (
    <DateInput id={id} isTime={defaultSelection.values?.dataType === 'DATETIME'} text={text} set={onChange} />
  );
}

function DateRangePicker({ id, name, defaultSelection, value, onChange }: FilterInputProps) {
  const ends =
    typeof value === 'object' && 'min' in value
      ? value
      : { min: defaultSelection.range?.min.value ?? '', max: defaultSelection.range?.max.value ?? '' };
  const isTime = defaultSelection.range?.dataType === 'DATETIME';
  return (
    <span className="range">
      <DateInput id={id} isTime={isTime} text={ends.min} set={(min) => onChange({ ...ends, min })} />
      <span aria-hidden="true">–</span>
      <DateInput
        label={`${name}, end`}
        isTime={isTime}
        text={ends.max}
        set={(max) => onChange({ ...ends, max })}
      />
    </span>
  );
}
