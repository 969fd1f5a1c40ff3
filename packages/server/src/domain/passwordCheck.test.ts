import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPasswordCheck } from './passwordCheck.ts';

const check = await createPasswordCheck(undefined);

test.each([
  ['Correct-Horse-9-Battery', true],
  ['Quiet-River-7-Lantern', true],
  ['Tr0ub4dor&3-kettle', true],
  ['Password2026!!', false],
  ['P@ssw0rd-2026-P@ssw0rd', false],
  ['Welcome-Summer-2026', false],
  ['Parapet-2026-Parapet!', false],
  ['P4r@pet!P4r@pet!', false],
  ['Harbor-Managed-IT-2026!', false],
  ['HarborManagedIT1!', false],
  ['Qwerty-2026-QWERTY!', false],
  ['Short-1!', false],
  ['nocapitals-at-all-1!', false],
])('%j will do: %s', async (password, does) => {
  expect((await check(password, ['Harbor Managed IT'])) === undefined).toBe(does);
});

test('a name of another partner is only a word', async () => {
  expect(await check('Harbor-Managed-2026!', ['Summit Cyber'])).toBeUndefined();
});

test.each(['Liverpool-2026!', '2026#Chelsea#2026', 'L1verp00l!!!!', 'Maverick1990!', '1Q2w3e4r5t6y!', 'F.e.r.r.a.r.i.1'])(
  'refuses %j, which is a listed password with digits and signs',
  async (password) => {
    expect(await check(password, [])).toBe('common');
  },
);

test('tells a simple password from a common one', async () => {
  expect(await check('short-1!', [])).toBe('simple');
  expect(await check('Password2026!!', [])).toBe('common');
});

test('takes a file in place of its own list, and stops the start when it cannot be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'passwords-'));
  const file = join(folder, 'list.txt');
  await writeFile(file, 'Quiet-River-7-Lantern\r\nbulbasaur\n');
  const own = await createPasswordCheck(file);
  expect(await own('quiet-River-7-Lantern', [])).toBe('common');
  expect(await own('Bulbasaur-2026', [])).toBe('common');
  expect(await own('Liverpool-2026!', [])).toBeUndefined();
  await rm(folder, { recursive: true });
  await expect(createPasswordCheck(file)).rejects.toThrow(/list\.txt/);
});
