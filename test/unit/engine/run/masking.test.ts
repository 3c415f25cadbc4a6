/** Secrets of a run: which variables are secret, and the forms in which values are masked. */
import { describe, expect, test } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import {
  partialSecretLengthAtEnd,
  createMask,
  maskOfSettings,
  maskText,
  maskTexts,
  noMask,
  maskSecretFields,
} from '../../../../engine/run/masking.ts';

const settings = (variables: Record<string, string>): JobSettings => ({
  name: 'j',
  notebook_task: { notebook_path: '/n' },
  new_cluster: { spark_env_vars: variables },
});
const shown = (variables: Record<string, string>, text: string): string =>
  maskText(maskOfSettings(settings(variables)), text);

describe('secret variables', () => {
  test.each([
    'DB_PASSWORD',
    'GITHUB_TOKEN',
    'CLIENT_SECRET',
    'API_KEY',
    'SIGNING_KEY',
    'PGPASSWORD',
    'token',
    'aws_secret',
    'PASSPHRASE',
    'CREDENTIALS',
  ])('%s, by its name', (name) => {
    expect(shown({ [name]: 'hunter22' }, 'it is hunter22.')).toBe('it is ***.');
  });

  test('RUNYARD_SECRETS names secret variables', () => {
    expect(
      shown(
        { RUNYARD_SECRETS: 'CODE, OTHER', CODE: 'alpha-7', OTHER: 'beta-8', PLAIN: 'gamma-9' },
        'alpha-7 beta-8 gamma-9',
      ),
    ).toBe('*** *** gamma-9');
  });

  test.each(['STAGE', 'KEYBOARD', 'TOKENS_PER_DAY', 'MONKEY'])('%s is not secret', (name) => {
    expect(shown({ [name]: 'hunter22' }, 'it is hunter22.')).toBe('it is hunter22.');
  });

  test.each(['', 'abc', 'true', 'FALSE', 'none', '  x '])(
    'a trivial value such as %j is not masked',
    (value) => {
      expect(shown({ A_TOKEN: value }, `-${value}- abc true none x`)).toBe(`-${value}- abc true none x`);
    },
  );

  test('secrets come from all clusters: of tasks, shared ones, and of a single-task job', () => {
    const of = (variables: Record<string, string>) => ({ new_cluster: { spark_env_vars: variables } });
    const mask = maskOfSettings({
      name: 'j',
      job_clusters: [{ job_cluster_key: 'c', ...of({ A_TOKEN: 'secret-a' }) }],
      tasks: [
        { task_key: 't', notebook_task: { notebook_path: '/n' }, ...of({ B_TOKEN: 'secret-b' }) },
        { task_key: 'u', existing_cluster_id: 'x', notebook_task: { notebook_path: '/n' } },
      ],
    });
    expect(maskText(mask, 'secret-a secret-b secret-c')).toBe('*** *** secret-c');
  });
});

describe('a secret is masked', () => {
  const secret = 'p"ä ss/wör+d 1234';
  const mask = createMask([secret]);

  test.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ a: secret })],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(secret))],
    ['in an address', `https://u:${encodeURIComponent(secret)}@host/`],
    ['in a form', new URLSearchParams({ p: secret }).toString()],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in the header of a login', `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`],
    ['in base64 for addresses', Buffer.from(`xx${secret}yy`).toString('base64url')],
    ['many times', `${secret} ${secret}${secret}`],
  ])('%s', (_form, text) => {
    const masked = maskText(mask, text);
    expect(masked).toContain('***');
    expect(masked).not.toContain('1234');
    expect(Buffer.from(masked.replace(/.*Basic /, ''), 'base64').toString('latin1')).not.toContain('1234');
  });

  test('line by line', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n';
    const text = maskText(
      createMask([key]),
      `a\n  MIIEvQIBADANBg\n> kqhkiG9w0BAQEF <\n${JSON.stringify(key)}`,
    );
    expect(text).toBe('a\n  ***\n> *** <\n"***\\n"');
  });

  test('in pieces, when it is long', () => {
    const long = Array.from({ length: 5_000 }, (_, index) =>
      String.fromCodePoint(97 + ((index * 7) % 26)),
    ).join('');
    expect(maskText(createMask([long]), `<${long}>`)).toBe('<***>');
  });

  test('where it overlaps another secret', () => {
    expect(maskText(createMask(['abcdef', 'defghi']), '-abcdefghi-')).toBe('-***-');
    expect(maskText(createMask(['aaaa']), `-${'a'.repeat(50)}-`)).toBe('-***-');
  });
});

test('the longest start of a secret at the end of a text is found', () => {
  const mask = createMask(['secret-1', 'ets']);
  expect(
    ['x', 'xs', 'xsecret-', 'secret-1', 'xsecrets', ''].map((text) =>
      partialSecretLengthAtEnd(mask, Buffer.from(text)),
    ),
  ).toEqual([0, 1, 7, 0, 1, 0]);
  expect(partialSecretLengthAtEnd(noMask, Buffer.from('x'))).toBe(0);
});

test('documents keep their shape, and secret fields of settings are masked regardless of length', () => {
  const mask = createMask(['hunter22']);
  expect(maskTexts(mask, { a: ['hunter22', 1, null, { b: 'x hunter22' }], c: true })).toEqual({
    a: ['***', 1, null, { b: 'x ***' }],
    c: true,
  });
  expect(
    maskSecretFields(mask, {
      spark_env_vars: { A_KEY: 'x', B: 'hunter22', C_TOKEN: '' },
      task_key: 'main',
      job_cluster_key: 'k',
      n: 3,
    }),
  ).toEqual({
    spark_env_vars: { A_KEY: '***', B: '***', C_TOKEN: '' },
    task_key: 'main',
    job_cluster_key: 'k',
    n: 3,
  });
});
