/** Schema of triggers: fixed intervals. check-schedule.ts refuses other kinds of triggers. */
import { Type } from 'typebox';

export const Trigger = Type.Object(
  {
    periodic: Type.Optional(
      Type.Object(
        {
          interval: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Units between two runs.' }),
          unit: Type.Enum(['MINUTES', 'HOURS', 'DAYS', 'WEEKS'], { description: 'Unit of the interval.' }),
        },
        { description: 'Runs at a fixed interval, the first run after one interval.' },
      ),
    ),
    pause_status: Type.Optional(Type.Enum(['PAUSED', 'UNPAUSED'], { description: 'Default: UNPAUSED.' })),
  },
  { description: 'Starts the job automatically; a job has either schedule or trigger.' },
);
