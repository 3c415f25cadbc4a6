/** Records every state change of runs and task runs with a database trigger. */
import { sql } from 'kysely';
import type { ResponseBody } from '../harness/api-client.ts';
import type { TestService } from '../harness/test-service.ts';

/**
 * Starts the recording; it covers all later changes of the columns `state`. One update may write the end of a task and its
 * cleanup: the time of the step between them tells of it.
 */
export async function recordTransitions({ database: { db } }: TestService): Promise<void> {
  await sql`create table transitions (at serial, of text, run_id bigint, was text, became text)`.execute(db);
  await sql`create function record_transition() returns trigger language plpgsql as $$
  declare
    between_states text := case
      when old.terminating_time is null and new.terminating_time is not null and new.state <> 'TERMINATING'
      then 'TERMINATING' end;
  begin
    if between_states is not null then
      insert into transitions (of, run_id, was, became)
        values (tg_table_name, new.run_id, old.state, between_states);
    end if;
    insert into transitions (of, run_id, was, became)
      values (tg_table_name, new.run_id, coalesce(between_states, old.state), new.state);
    return new;
  end $$`.execute(db);
  for (const table of ['runs', 'task_runs']) {
    await sql`create trigger record_transition after update on ${sql.table(table)} for each row when (old.state <> new.state) execute function record_transition()`.execute(
      db,
    );
  }
}

/** Returns all states of a run or a task run, from the first. */
export async function statesOf(
  { database: { db } }: TestService,
  { run_id }: ResponseBody,
  of: 'runs' | 'task_runs',
): Promise<string[]> {
  const { rows } = await sql<{ was: string; became: string }>`
    select was, became from transitions where run_id = ${run_id} and of = ${of} order by at`.execute(db);
  return rows.flatMap(({ was, became }, index) => (index === 0 ? [was, became] : [became]));
}

/** Returns every recorded transition once, such as `PENDING RUNNING`. */
export async function distinctTransitions({ database: { db } }: TestService): Promise<string[]> {
  const { rows } = await sql<{ transition: string }>`
    select distinct was || ' ' || became as transition from transitions`.execute(db);
  return rows.map(({ transition }) => transition);
}
