/**
 * Triggers beyond the schedule: fixed intervals. Others that clients know are refused, never kept without
 * effect.
 */
import { Type } from 'typebox';

export const Trigger = Type.Object(
  {
    periodic: Type.Optional(
      Type.Object(
        {
          interval: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Units between two runs.' }),
          unit: Type.Enum(['MINUTES', 'HOURS', 'DAYS', 'WEEKS'], { description: 'Unit of the interval.' }),
        },
        { description: 'Runs at a fixed distance in time, the first one after the first interval.' },
      ),
    ),
    pause_status: Type.Optional(Type.Enum(['PAUSED', 'UNPAUSED'], { description: 'Default: UNPAUSED.' })),
  },
  { description: 'Starts the job by itself, as schedule does; a job has one of them.' },
);
