/** Examples of operations on notification destinations and deliveries. */
import type { Example } from './example.ts';

const id = '3f0c1d52-8a74-4be1-9d0e-6b5a1c7e2f90';
const deliveryId = 'b7a9e0c4-51d3-4f6f-8c2b-0e9d7a6135f8';
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD5ksEKSqEQqY=';

const listed = { id, display_name: 'incident desk', destination_type: 'WEBHOOK' };
const shown = {
  ...listed,
  config: { generic_webhook: { url_set: true, username_set: true, password_set: true } },
};

export const notificationExamples: Readonly<Record<string, Example>> = {
  'POST /notification-destinations': {
    request: {
      display_name: 'incident desk',
      config: {
        generic_webhook: {
          url: 'https://desk.example.org/hooks/runyard',
          username: 'runyard',
          password: 'correct horse',
        },
      },
    },
    answer: { ...shown, signing_secret: secret },
  },
  'GET /notification-destinations': { request: { page_size: 100 }, answer: { results: [listed] } },
  'GET /notification-destinations/:id': { request: { id }, answer: shown },
  'PATCH /notification-destinations/:id': {
    request: { id, display_name: 'incident desk, second floor' },
    answer: { ...shown, display_name: 'incident desk, second floor' },
  },
  'DELETE /notification-destinations/:id': { request: { id }, answer: {} },
  'POST /notification-destinations/:id/test': { request: { id }, answer: { delivery_id: deliveryId } },
  'POST /notification-destinations/:id/rotate-secret': {
    request: { id },
    answer: { signing_secret: secret, previous_secret_until: 1_772_496_000_000 },
  },
  'GET /notifications/deliveries': {
    request: { job_id: 41, state: 'pending' },
    answer: {
      deliveries: [
        {
          id: deliveryId,
          event_type: 'jobs.on_failure',
          channel: 'webhook',
          destination_id: id,
          job_id: 41,
          run_id: 907,
          creation_time: 1_772_409_600_000,
          state: 'pending',
          next_attempt_time: 1_772_409_603_400,
          attempts: [
            {
              time: 1_772_409_600_020,
              duration_ms: 212,
              status: 503,
              answer: 'try later',
              error: 'The destination answered 503.',
            },
          ],
        },
      ],
    },
  },
  'POST /notifications/deliveries/:id/redeliver': { request: { id: deliveryId }, answer: {} },
};
