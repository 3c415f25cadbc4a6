/** Macros of DuckDB: they do not shadow functions that DuckDB needs itself. */
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { duckdbMacros } from '../../../../engine/sql/duckdb-functions.ts';

test('intervals, which DuckDB computes with trunc, work beside the macros', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    for (const macro of duckdbMacros) await connection.run(`CREATE MACRO ${macro}`);
    const answer = await connection.runAndReadAll(
      "SELECT date '2027-01-02' + INTERVAL 3 DAY, trunc(-3.7::DOUBLE), trunc(date '2027-02-03', 'MM'), date_add(date '2027-01-02', 3)",
    );
    expect(answer.getRowsJson()).toEqual([['2027-01-05 00:00:00', -3, '2027-02-01', '2027-01-05']]);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});
