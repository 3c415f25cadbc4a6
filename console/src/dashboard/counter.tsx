/** Counter widget: one value and an optional target. */
import type { JsonObject, Rows } from '../api/dashboard-documents.ts';
import { formatValue } from './formats.ts';
import { getObject, getNumber, getText, columnValuesOf } from './encodings.ts';

export function Counter({ rows, encodings }: { readonly rows: Rows; readonly encodings: JsonObject }) {
  const [value, target] = [getObject(encodings, 'value'), getObject(encodings, 'target')];
  const hasTarget = getText(target, 'fieldName') !== undefined;
  return (
    <div className="counter">
      <p className="figure">{renderValue(rows, value)}</p>
      <p className="hint">
        {getText(value, 'displayName')}
        {hasTarget && (
          <>
            {' '}
            · {getText(target, 'displayName')}: <strong>{renderValue(rows, target)}</strong>
          </>
        )}
      </p>
    </div>
  );
}

/** Renders the value of a row. Row numbers begin at 1; negative ones count from the end. */
function renderValue(rows: Rows, encoding: JsonObject): string {
  const values = columnValuesOf(rows, getText(encoding, 'fieldName') ?? '');
  const row = getNumber(encoding, 'rowNumber') ?? 1;
  const text = formatValue(values.at(row > 0 ? row - 1 : row), encoding['format']);
  return (getText(encoding, 'formatTemplate') ?? '{{ @formatted }}').replace('{{ @formatted }}', () => text);
}
