/** The parts of the service's responses that several commands read. */
import { Type, type Static } from 'typebox';

export const JobDocument = Type.Object({
  job_id: Type.Integer(),
  creator_user_name: Type.Optional(Type.String()),
  settings: Type.Object({
    name: Type.String(),
    schedule: Type.Optional(
      Type.Object({
        quartz_cron_expression: Type.String(),
        timezone_id: Type.String(),
        pause_status: Type.Optional(Type.String()),
      }),
    ),
    trigger: Type.Optional(
      Type.Object({
        pause_status: Type.Optional(Type.String()),
        periodic: Type.Optional(Type.Object({ interval: Type.Integer(), unit: Type.String() })),
      }),
    ),
    parameters: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
    tags: Type.Optional(Type.Record(Type.String(), Type.String())),
    tasks: Type.Optional(Type.Array(Type.Object({ task_key: Type.String() }))),
  }),
});
export type JobDocument = Static<typeof JobDocument>;

const RunState = Type.Object({
  life_cycle_state: Type.String(),
  result_state: Type.Optional(Type.String()),
  state_message: Type.Optional(Type.String()),
});

export const RunDocument = Type.Object({
  run_id: Type.Integer(),
  job_id: Type.Optional(Type.Integer()),
  run_name: Type.String(),
  state: RunState,
  /** Epoch ms; 0 before the event. */
  start_time: Type.Integer(),
  end_time: Type.Integer(),
  run_page_url: Type.Optional(Type.String()),
  trigger: Type.Optional(Type.String()),
  creator_user_name: Type.Optional(Type.String()),
  cause_code: Type.Optional(Type.String()),
  tasks: Type.Optional(
    Type.Array(
      Type.Object({
        run_id: Type.Integer(),
        task_key: Type.String(),
        attempt_number: Type.Integer(),
        state: RunState,
        start_time: Type.Integer(),
        end_time: Type.Integer(),
      }),
    ),
  ),
});
export type RunDocument = Static<typeof RunDocument>;
