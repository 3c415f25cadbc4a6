/** One value in large letters, and what it is compared with. */
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

/** Rows count from 1, and from the end when the number is negative. */
function renderValue(rows: Rows, encoding: JsonObject): string {
  const values = columnValuesOf(rows, getText(encoding, 'fieldName') ?? '');
  const row = getNumber(encoding, 'rowNumber') ?? 1;
  const text = formatValue(values.at(row > 0 ? row - 1 : row), encoding['format']);
  return (getText(encoding, 'formatTemplate') ?? '{{ @formatted }}').replace('{{ @formatted }}', () => text);
}
