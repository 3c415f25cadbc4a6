/** Examples of operations on people, tokens of all users, workspace settings and the audit log. */
import type { Example } from './example.ts';

const tokenId = '5f70c1b9a4d2e83f6017c9ad35be20418f6ad7c3e9b1502467d8fa3c1e94b07d';
const applicationId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

const user = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  id: '7',
  userName: 'ada@example.org',
  displayName: 'Ada',
  active: true,
  emails: [{ value: 'ada@example.org', primary: true }],
  groups: [{ display: 'users', value: 'users' }],
};
const principal = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServicePrincipal'],
  id: '8',
  applicationId,
  displayName: 'nightly',
  active: true,
  groups: [{ display: 'users', value: 'users' }],
};
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
  owner_id: 8,
  owner_name: applicationId,
  created_by_id: 1,
  created_by_username: 'admin',
  workspace_id: 1,
  last_used_day: 0,
};
const deactivation = { Operations: [{ op: 'replace', path: 'active', value: false }] };
const list = {
  object_id: '/authorization/tokens',
  object_type: 'tokens',
  access_control_list: [
    { user_name: 'ada@example.org', all_permissions: [{ permission_level: 'CAN_USE', inherited: false }] },
    { group_name: 'admins', all_permissions: [{ permission_level: 'CAN_MANAGE', inherited: true }] },
  ],
};
const request = { access_control_list: [{ user_name: 'ada@example.org', permission_level: 'CAN_USE' }] };

export const peopleExamples: Readonly<Record<string, Example>> = {
  'GET /preview/scim/v2/Users': {
    request: { filter: 'userName eq "ada@example.org"' },
    answer: { schemas: [listSchema], totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [user] },
  },
  'POST /preview/scim/v2/Users': {
    request: {
      userName: 'ada@example.org',
      displayName: 'Ada',
      emails: [{ value: 'ada@example.org', primary: true }],
    },
    answer: user,
  },
  'GET /preview/scim/v2/Users/:id': { request: { id: '7' }, answer: user },
  'PATCH /preview/scim/v2/Users/:id': {
    request: { id: '7', ...deactivation },
    answer: { ...user, active: false },
  },
  'DELETE /preview/scim/v2/Users/:id': { request: { id: '7' }, answer: {} },
  'GET /preview/scim/v2/ServicePrincipals': {
    request: { filter: 'displayName eq "nightly"' },
    answer: {
      schemas: [listSchema],
      totalResults: 1,
      startIndex: 1,
      itemsPerPage: 1,
      Resources: [principal],
    },
  },
  'POST /preview/scim/v2/ServicePrincipals': { request: { displayName: 'nightly' }, answer: principal },
  'GET /preview/scim/v2/ServicePrincipals/:id': { request: { id: '8' }, answer: principal },
  'PATCH /preview/scim/v2/ServicePrincipals/:id': {
    request: { id: '8', ...deactivation },
    answer: { ...principal, active: false },
  },
  'DELETE /preview/scim/v2/ServicePrincipals/:id': { request: { id: '8' }, answer: {} },
  'POST /token-management/on-behalf-of/tokens': {
    request: {
      application_id: applicationId,
      comment: 'nightly backup',
      lifetime_seconds: 7_776_000,
      scopes: ['jobs'],
    },
    answer: { token_value: 'runyard_0123456789abcdef0123456789abcdef01234567', token_info: info },
  },
  'GET /token-management/tokens': {
    request: { created_by_username: 'admin' },
    answer: { token_infos: [info] },
  },
  'GET /token-management/tokens/:token_id': { request: { token_id: tokenId }, answer: { token_info: info } },
  'PATCH /token-management/tokens/:token_id': {
    request: { token_id: tokenId, token: { scopes: ['jobs', 'files'] }, update_mask: 'scopes' },
    answer: {},
  },
  'DELETE /token-management/tokens/:token_id': { request: { token_id: tokenId }, answer: {} },
  'GET /permissions/authorization/tokens': { request: {}, answer: list },
  'PUT /permissions/authorization/tokens': { request, answer: list },
  'PATCH /permissions/authorization/tokens': { request, answer: list },
  'GET /permissions/authorization/tokens/permissionLevels': {
    request: {},
    answer: {
      permission_levels: [{ permission_level: 'CAN_USE', description: 'Creates and uses own tokens.' }],
    },
  },
  'GET /workspace-conf': {
    request: { keys: 'enableTokensConfig,maxTokenLifetimeDays' },
    answer: { enableTokensConfig: 'true', maxTokenLifetimeDays: '90' },
  },
  'PATCH /workspace-conf': { request: { maxTokenLifetimeDays: '90' }, answer: {} },
  'GET /token-scopes': {
    request: {},
    answer: {
      scopes: [{ name: 'audit', description: 'Reads the audit log.', operations: ['GET /api/2.0/audit'] }],
    },
  },
  'GET /audit': {
    request: { user_name: 'ada@example.org', limit: 1 },
    answer: {
      events: [
        {
          event_id: 41,
          time: 1_772_409_600_000,
          user_name: 'ada@example.org',
          token_id: tokenId,
          source_ip: '192.0.2.7',
          action: 'POST /jobs/update',
          resource: 'job_id=11',
          status: 200,
          before: { timeout_seconds: 0 },
          after: { timeout_seconds: 600 },
        },
      ],
      has_more: false,
    },
  },
};
