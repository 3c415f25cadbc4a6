/** One value in large letters, and what it is compared with. */
import type { Fields, Rows } from '../api/dashboard-documents.ts';
import { formatted } from './formats.ts';
import { fieldsIn, numberIn, textIn, valuesOf } from './reading.ts';

export function Counter({ rows, encodings }: { readonly rows: Rows; readonly encodings: Fields }) {
  const [value, target] = [fieldsIn(encodings, 'value'), fieldsIn(encodings, 'target')];
  const hasTarget = textIn(target, 'fieldName') !== undefined;
  return (
    <div className="counter">
      <p className="figure">{shown(rows, value)}</p>
      <p className="hint">
        {textIn(value, 'displayName')}
        {hasTarget && (
          <>
            {' '}
            · {textIn(target, 'displayName')}: <strong>{shown(rows, target)}</strong>
          </>
        )}
      </p>
    </div>
  );
}

/** Rows count from 1, and from the end when the number is negative. */
function shown(rows: Rows, encoding: Fields): string {
  const values = valuesOf(rows, textIn(encoding, 'fieldName') ?? '');
  const row = numberIn(encoding, 'rowNumber') ?? 1;
  const text = formatted(values.at(row > 0 ? row - 1 : row), encoding['format']);
  return (textIn(encoding, 'formatTemplate') ?? '{{ @formatted }}').replace('{{ @formatted }}', () => text);
}
