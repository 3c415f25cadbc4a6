/** Delivery of logs: each delivery appends the new bytes, without secrets and truncated ranges. */
import { appendFile, open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { truncationFilePath } from '../../../engine/log-file.ts';
import { createMask, noMask } from '../../../engine/run/masking.ts';
import {
  appendLogs,
  readLogDeliveryState,
  writeLogDeliveryState,
} from '../../../storage/files/append-logs.ts';
import { createTemporaryDirectory } from '../runners/test-context.ts';

const mask = createMask(['correct-horse']);

async function world() {
  const directory = await createTemporaryDirectory();
  const [log, delivered] = [join(directory, 'stdout'), join(directory, 'delivered', 'stdout')];
  return {
    log,
    delivered,
    directory,
    /** One delivery; one that is killed could not note how far it got. */
    async deliver({ over = false, killed = false, hide = mask } = {}): Promise<string> {
      const state = await readLogDeliveryState(directory);
      await appendLogs(
        delivered,
        { target: 'stdout', sources: [{ path: log, isComplete: over, mask: hide }] },
        state,
      );
      if (!killed) await writeLogDeliveryState(directory, state);
      return readFile(delivered, 'utf8');
    },
  };
}

test('each delivery appends the new bytes, also after a killed delivery', async () => {
  const { log, deliver } = await world();
  expect(await deliver()).toBe('');
  await writeFile(log, 'one\n');
  expect(await deliver()).toBe('one\n');
  await appendFile(log, 'two\n');
  expect(await deliver({ killed: true })).toBe('one\ntwo\n');
  await appendFile(log, 'three\n');
  expect(await deliver()).toBe('one\ntwo\nthree\n');
  expect(await deliver({ over: true })).toBe('one\ntwo\nthree\n');
});

test('a secret that two deliveries divide is masked, and the bytes after it are delivered once', async () => {
  const { log, deliver } = await world();
  await writeFile(log, 'password correct-horse, and correct-');
  expect(await deliver()).toBe('password ***, and ');
  await appendFile(log, 'horse.\ncorr');
  expect(await deliver()).toBe('password ***, and ***.\n');
  expect(await deliver({ over: true })).toBe('password ***, and ***.\ncorr');
});

test('a truncated range is delivered as one line without its bytes', async () => {
  const { log, delivered, deliver } = await world();
  await writeFile(log, 'beginning\n');
  await truncate(log, 8 * 2 ** 30);
  await appendFile(log, 'end\n');
  await writeFile(truncationFilePath(log), `10 ${8 * 2 ** 30} 1048576\n`);
  const text = 'beginning\n\n[runyard: 8 GB left out here; RUNYARD_LOG_BYTES_MAX is 1 MB]\nend\n';
  expect(await deliver()).toBe(text);
  await appendFile(log, 'more\n');
  expect(await deliver()).toBe(`${text}more\n`);
  expect((await stat(delivered)).size).toBe(text.length + 5);
});

test('a range truncated after a delivery is reported once, from the delivered end on', async () => {
  const { log, deliver } = await world();
  await writeFile(log, '0123456789');
  expect(await deliver()).toBe('0123456789');
  await writeFile(log, `01234${'\0'.repeat(2_043)}end\n`);
  await writeFile(truncationFilePath(log), '5 2048 100\n');
  const text = '0123456789\n[runyard: 2 KB left out here; RUNYARD_LOG_BYTES_MAX is 100 bytes]\nend\n';
  expect(await deliver()).toBe(text);
  expect(await deliver({ over: true })).toBe(text);
});

test('bytes that are no text stay as they are, and a log that its task has cut goes on at the new end', async () => {
  const { log, delivered, deliver } = await world();
  await writeFile(log, Buffer.from([0x61, 0xff, 0xfe, 0x0a]));
  await deliver({ hide: noMask });
  expect(await readFile(delivered)).toEqual(Buffer.from([0x61, 0xff, 0xfe, 0x0a]));
  const file = await open(log, 'r+');
  await file.truncate(1);
  await file.close();
  await deliver();
  await appendFile(log, 'new');
  expect((await deliver({ over: true })).endsWith('\nnew')).toBe(true);
});
