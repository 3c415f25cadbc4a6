/**
 * E-mails to a real server with TLS and auth that refuses, stalls and cuts connections; without one, as
 * files.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMailReceiver, type ReplyBehavior, type MailReceiver } from '../../harness/mail-receiver.ts';
import { startNotificationHarness, type NotificationHarness } from './notification-harness.ts';

let world: NotificationHarness;
let mails: MailReceiver | undefined;
let certificate: { key: string; cert: string };
beforeAll(() => {
  certificate = makeCertificate();
});
beforeEach(async () => {
  world = await startNotificationHarness();
});
afterEach(async () => {
  await world.close();
  await mails?.close();
  mails = undefined;
});

function makeCertificate(): { key: string; cert: string } {
  const directory = mkdtempSync(join(tmpdir(), 'runyard-tls-'));
  try {
    const [key, cert] = [join(directory, 'key'), join(directory, 'cert')];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost,IP:127.0.0.1',
        '-keyout',
        key,
        '-out',
        cert,
      ],
      { stdio: 'ignore' },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Server that accepts mail of one user only. */
async function startAuthenticated(secure: boolean): Promise<MailReceiver> {
  mails = await startMailReceiver({
    ...certificate,
    secure,
    onAuth: ({ username, password }, _session, callback) =>
      username === 'runyard' && password === 'p@ss'
        ? callback(null, { user: username })
        : callback(new Error('Wrong password')),
  });
  return mails;
}

async function startOpen(): Promise<MailReceiver> {
  mails = await startMailReceiver();
  return mails;
}

/** Decodes the text of a MIME part. */
function partOf(raw: string, type: 'plain' | 'html'): string {
  const part = raw.split(/\r\n--[^\r\n]+/).find((one) => one.includes(`Content-Type: text/${type}`)) ?? '';
  const [head = '', ...body] = part.trimStart().split('\r\n\r\n');
  const text = body.join('\r\n\r\n');
  if (/base64/i.test(head)) return Buffer.from(text, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(head)) return text;
  return Buffer.from(
    text
      .replaceAll('=\r\n', '')
      .replaceAll(/=([\dA-F]{2})/g, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
}

describe('a server with TLS and a password', () => {
  test.each([
    ['smtps', true],
    ['smtp', false],
  ] as const)('%s: the mail goes through the encrypted connection, as the user', async (scheme, secure) => {
    const server = await startAuthenticated(secure);
    await world.startEngine(
      {},
      { smtpUrl: `${scheme}://runyard:p%40ss@127.0.0.1:${server.port}`, ca: certificate.cert },
    );
    await world.enqueueNotifications({
      channel: 'email',
      recipient: 'ops@example.org',
      event: 'on_failure',
      runId: 907,
    });
    const [delivery] = await world.waitForDeliveries(([one]) => one?.state === 'delivered');
    expect(server.mails).toMatchObject([
      { to: ['ops@example.org'], from: 'runyard@example.org', user: 'runyard', secure: true },
    ]);
    expect(delivery?.attempts).toMatchObject([{ status: 250, response: expect.stringMatching(/^250 /) }]);
  });

  test('a wrong password is reported in the log and retried', async () => {
    const server = await startAuthenticated(true);
    await world.startEngine(
      {},
      { smtpUrl: `smtps://runyard:wrong@127.0.0.1:${server.port}`, ca: certificate.cert },
    );
    await world.enqueueNotifications({ channel: 'email', recipient: 'ops@example.org' });
    const [delivery] = await world.waitForDeliveries(([one]) => (one?.attempts.length ?? 0) >= 2);
    expect(delivery).toMatchObject({
      state: 'pending',
      attempts: [{ status: 535, error: expect.stringContaining('Wrong password') }, {}],
    });
  });

  test('a self-signed certificate is not trusted', async () => {
    const server = await startAuthenticated(true);
    await world.startEngine({}, { smtpUrl: `smtps://runyard:p%40ss@127.0.0.1:${server.port}` });
    await world.enqueueNotifications({ channel: 'email', recipient: 'ops@example.org' });
    const [delivery] = await world.waitForDeliveries(([one]) => (one?.attempts.length ?? 0) >= 1);
    expect(delivery?.attempts[0]?.error).toMatch(/self-signed/);
    expect(server.mails).toEqual([]);
  });
});

test.each<[string, ReplyBehavior]>([
  ['a temporary refusal', 451],
  ['a cut connection', 'cut'],
])('%s is tried again until the mail is taken, once', async (_name, how) => {
  const server = await startOpen();
  server.queueReplies('ops@example.org', how, how);
  await world.startEngine({}, { smtpUrl: `smtp://127.0.0.1:${server.port}` });
  await world.enqueueNotifications({ channel: 'email', recipient: 'ops@example.org' });
  const [delivery] = await world.waitForDeliveries(([one]) => one?.state === 'delivered');
  expect(delivery?.attempts).toHaveLength(3);
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.raw).toContain(`Message-ID: <${delivery?.deliveryId}@example.org>`);
});

test('an unknown recipient is final and delays no other recipient', async () => {
  const server = await startOpen();
  server.queueReplies('gone@example.org', 550);
  await world.startEngine({}, { smtpUrl: `smtp://127.0.0.1:${server.port}` });
  await world.enqueueNotifications(
    { channel: 'email', recipient: 'gone@example.org' },
    { channel: 'email', recipient: 'ops@example.org' },
  );
  const all = await world.waitForDeliveries(
    (deliveries) => deliveries.length === 2 && deliveries.every(({ state }) => state !== 'pending'),
  );
  expect(
    all.map(({ address, state, attempts }) => [address, state, attempts.map(({ status }) => status)]),
  ).toEqual([
    ['ops@example.org', 'delivered', [250]],
    ['gone@example.org', 'failed', [550]],
  ]);
});

test('a stalled mail server delays no webhook', async () => {
  const server = await startOpen();
  server.queueReplies('ops@example.org', 'stall');
  const { id } = await world.createDestination({
    kind: 'EMAIL',
    addresses: ['a@example.org', 'b@example.org'],
  });
  await world.startEngine({}, { smtpUrl: `smtp://127.0.0.1:${server.port}` });
  await world.enqueueNotifications({ channel: 'email', recipient: 'ops@example.org' });
  await world.enqueueNotifications({ channel: 'webhook', recipient: id, event: 'test' });
  await world.waitForDeliveries((all) =>
    all.some(({ channel, state }) => channel === 'webhook' && state === 'delivered'),
  );
  expect(server.mails).toMatchObject([{ to: ['a@example.org', 'b@example.org'] }]);
});

test.each([
  'ops@example.org, evil@example.org',
  'ops@example.org\r\nBcc: evil@example.org',
  '"x" <ops@example.org>',
  'ops',
  'ops@exa mple.org',
  'ops@example.org>',
])('%j is no address: nothing is sent', async (recipient) => {
  const server = await startOpen();
  await world.startEngine({}, { smtpUrl: `smtp://127.0.0.1:${server.port}` });
  await world.enqueueNotifications({ channel: 'email', recipient });
  const [delivery] = await world.waitForDeliveries(([one]) => one?.state === 'failed');
  expect(delivery?.attempts[0]?.error).toMatch(/is not an e-mail address\.$/);
  expect(server.mails).toEqual([]);
});

test('a job name with line breaks and markup is one line in the subject and plain text in the e-mail', async () => {
  const { db } = world.database;
  const name = 'night\r\nBcc: evil@example.org\n\n<img src=x onerror=alert(1)> "größe"';
  const { job_id: jobId } = await db
    .insertInto('jobs')
    .values({
      creator: 'a',
      created_time: 1,
      name,
      api_version: '2.1',
      format: 'MULTI_TASK',
      settings: '{}',
      hidden: false,
      deleted_time: null,
    })
    .returning('job_id')
    .executeTakeFirstOrThrow();
  const server = await startOpen();
  await world.startEngine({}, { smtpUrl: `smtp://127.0.0.1:${server.port}` });
  await world.enqueueNotifications({
    channel: 'email',
    recipient: 'ops@example.org',
    event: 'job_deleted',
    jobId,
  });
  await world.waitForDeliveries(([one]) => one?.state === 'delivered');
  const [mail] = server.mails;
  const head = mail?.raw.split('\r\n\r\n')[0] ?? '';
  expect(head).not.toMatch(/^Bcc/im);
  expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(mail?.to).toEqual(['ops@example.org']);
  const html = partOf(mail?.raw ?? '', 'html');
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(partOf(mail?.raw ?? '', 'plain')).toMatch(
    /^Job night Bcc: evil@example\.org <img src=x onerror=alert\(1\)> "größe" was deleted\r?\n/,
  );
});

test('without a server, e-mails are saved as files and the log names the path', async () => {
  await world.startEngine();
  await world.enqueueNotifications({ channel: 'email', recipient: 'ops@example.org' });
  const [delivery] = await world.waitForDeliveries(([one]) => one?.state === 'delivered');
  const path = join(world.directory, `${delivery?.deliveryId}.eml`);
  expect(delivery?.attempts[0]?.response).toBe(`Saved as ${path}; RUNYARD_SMTP_URL is not set.`);
  expect(readdirSync(world.directory)).toEqual([`${delivery?.deliveryId}.eml`]);
  const raw = readFileSync(path, 'utf8');
  expect(raw).toMatch(/^To: ops@example\.org\r$/m);
  expect(partOf(raw, 'plain')).toContain('succeeded');
});

test('e-mails about tokens are delivered like others', async () => {
  await world.startEngine();
  const token = {
    tokenId: 'a'.repeat(64),
    comment: 'nightly backup',
    scopes: ['jobs', 'sql'],
    enforcementTime: 1_772_409_600_000,
  };
  await world.enqueueNotifications({
    channel: 'email',
    recipient: 'ann@example.org',
    event: 'token_scopes_reminder',
    jobId: undefined,
    facts: { token },
  });
  const [delivery] = await world.waitForDeliveries(([one]) => one?.state === 'delivered');
  const text = partOf(
    readFileSync(join(world.directory, `${delivery?.deliveryId}.eml`), 'utf8'),
    'plain',
  ).replaceAll('\r', '');
  expect(text).toContain('The scopes of your token nightly backup will be enforced\n');
  expect(text).toContain('Scopes:        jobs, sql\nEnforced from: 2026-03-02 00:00:00 UTC');
});
