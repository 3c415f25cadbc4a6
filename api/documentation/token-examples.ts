/** Examples of operations on tokens. */
import type { Example } from './example.ts';

const tokenId = '5f70c1b9a4d2e83f6017c9ad35be20418f6ad7c3e9b1502467d8fa3c1e94b07d';

const info = {
  token_id: tokenId,
  creation_time: 1_772_409_600_000,
  expiry_time: 1_780_185_600_000,
  comment: 'nightly backup',
  scopes: ['jobs'],
  last_accessed_time: 0,
  autoscope_state: 'AUTOSCOPE_STATE_USER_SELECTED',
  inferred_scopes: [],
  backfill_scopes: [],
};

export const tokenExamples: Readonly<Record<string, Example>> = {
  'POST /token/create': {
    request: { comment: 'nightly backup', lifetime_seconds: 7_776_000, scopes: ['jobs'] },
    answer: { token_value: 'runyard_0123456789abcdef0123456789abcdef01234567', token_info: info },
  },
  'GET /token/list': { request: {}, answer: { token_infos: [info] } },
  'POST /token/delete': { request: { token_id: tokenId }, answer: {} },
  'PATCH /token/:token_id': {
    request: {
      token_id: tokenId,
      token: { scopes: ['jobs', 'sql'], comment: 'nightly backup and report' },
      update_mask: 'scopes,comment',
    },
    answer: {},
  },
};
