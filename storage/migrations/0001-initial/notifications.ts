/** Tables of the outbox, destinations, deliveries and delivery attempts. */

export const notificationTables = [
  `create table outbox (
     outbox_event_id bigint generated always as identity (maxvalue 9007199254740991) primary key,
     event text not null,
     channel text not null,
     recipient text not null,
     job_id bigint,
     run_id bigint,
     task_key text,
     created_time bigint not null,
     facts jsonb not null default '{}',
     dispatched_time bigint,
     constraint outbox_channel_known check (channel in ('email', 'webhook')))`,
  `create index outbox_pending on outbox (outbox_event_id) where dispatched_time is null`,
  `create index outbox_created on outbox (created_time)`,
  `create table destinations (
     destination_id uuid primary key default gen_random_uuid(),
     destination_number bigint generated always as identity (maxvalue 9007199254740991)
       constraint destinations_number_unique unique,
     display_name text not null,
     target jsonb not null,
     secrets jsonb,
     created_time bigint not null,
     constraint destinations_name_given check (display_name <> ''),
     constraint destinations_kind_known check
       (target ->> 'kind' in ('EMAIL', 'WEBHOOK', 'SLACK', 'MICROSOFT_TEAMS')),
     constraint destinations_webhooks_are_signed check
       ((target ->> 'kind' = 'WEBHOOK') = (secrets is not null)))`,
  // queue_key: the delivery queue, one for each destination and one for e-mail. ordering_key: one recipient of
  // one run; its deliveries are sent in the order of their numbers.
  `create table deliveries (
     delivery_id uuid primary key default gen_random_uuid(),
     delivery_number bigint generated always as identity (maxvalue 9007199254740991)
       constraint deliveries_number_unique unique,
     outbox_event_id bigint constraint deliveries_outbox_event_unique unique,
     event text not null,
     channel text not null,
     queue_key text not null,
     ordering_key text not null,
     destination_id uuid,
     address text,
     job_id bigint,
     job_run_id bigint,
     run_id bigint,
     task_key text,
     created_time bigint not null,
     facts jsonb not null,
     message jsonb,
     state text not null default 'pending',
     attempts integer not null default 0,
     round_attempts integer not null default 0,
     round_start_time bigint,
     next_attempt_time bigint,
     claimed_by text,
     constraint deliveries_channel_known check (channel in ('email', 'webhook')),
     constraint deliveries_state_known check (state in ('pending', 'delivered', 'failed')),
     constraint deliveries_one_recipient check
       ((channel = 'email') = (address is not null) and (channel = 'webhook') = (destination_id is not null)),
     constraint deliveries_pending_has_time check ((state = 'pending') = (next_attempt_time is not null)),
     constraint deliveries_claimed_is_pending check (claimed_by is null or state = 'pending'),
     constraint deliveries_counts_not_negative check (attempts >= round_attempts and round_attempts >= 0)
   ) with (fillfactor = 70)`,
  `create index deliveries_due on deliveries (queue_key, next_attempt_time) where state = 'pending'`,
  `create index deliveries_ordered on deliveries (ordering_key, delivery_number) where state = 'pending'`,
  `create index deliveries_of_job on deliveries (job_id, delivery_number desc)`,
  `create index deliveries_of_run on deliveries (run_id, delivery_number desc)`,
  `create index deliveries_of_job_run on deliveries (job_run_id, delivery_number desc)`,
  `create index deliveries_of_destination on deliveries (destination_id, delivery_number desc)`,
  `create index deliveries_created on deliveries (created_time)`,
  `create table delivery_attempts (
     delivery_id uuid not null references deliveries on delete cascade,
     number integer not null,
     time bigint not null,
     duration_ms bigint not null,
     status integer,
     answer text,
     error text,
     primary key (delivery_id, number),
     constraint delivery_attempts_number_positive check (number > 0),
     constraint delivery_attempts_duration_not_negative check (duration_ms >= 0))`,
];
