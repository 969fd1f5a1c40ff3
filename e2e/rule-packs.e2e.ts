/** Rule packs: an archive in the layout of the public collection is reviewed, accepted, updated and exported. */
import { zipSync } from 'fflate';
import { expect, test } from './fixtures.ts';

const rule = (number: number, action: string) => `title: Probe pack rule ${number}
id: 00000000-0000-4000-9000-${String(number).padStart(12, '0')}
status: test
license: DRL-1.1
author: A. Writer
logsource:
  product: windows
  category: process_creation
detection:
  selection:
    Image|endswith: '\\\\${action}.exe'
  condition: selection
level: ${number % 7 === 0 ? 'critical' : 'low'}
`;
const archive = (count: number, action: string) =>
  Buffer.from(
    zipSync(
      Object.fromEntries([
        ...Array.from({ length: count }, (_, at) => [
          `sigma-main/rules/windows/rule_${at + 1}.yml`,
          Buffer.from(rule(at + 1, `${action}-${at + 1}`)),
        ]),
        ['sigma-main/rules/windows/broken.yml', Buffer.from('title: Broken\nid: x\n')],
        ['sigma-main/README.md', Buffer.from('text')],
      ]),
    ),
  );
const pick = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/zip', buffer });

test('an archive is reviewed and accepted; an update shows what differs', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/rules?client=0');
  await page.getByRole('link', { name: 'Packs' }).click();
  await expect(page.getByRole('heading', { name: 'Rule packs' })).toBeVisible();
  const send = async (buffer: Buffer) => {
    await page.getByLabel('Select file').setInputFiles(pick('probe-pack.zip', buffer));
    await expect(page.getByLabel('Pack name')).toHaveValue('probe-pack');
    await page.getByRole('button', { name: 'Upload for review' }).click();
    await page.getByRole('link', { name: 'Review probe-pack' }).click();
    await expect(page.getByRole('heading', { name: 'Import of probe-pack' })).toBeVisible();
  };
  await send(archive(14, 'probe'));
  await expect(page.getByText('Probe pack rule 1', { exact: true }).first()).toBeVisible();
  await page.getByRole('button', { name: 'Accept' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading')).toHaveText('Accept up to 14 rules of probe-pack?');
  await dialog.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: /^Live/ }).click();
  await expect(dialog.getByText('Critical rules start in shadow')).toBeVisible();
  await dialog.getByLabel('Reason').fill('Public rules for Windows');
  await dialog.getByRole('button', { name: 'Accept' }).click();
  const pack = page.getByRole('list', { name: 'Packs' }).getByRole('listitem', { name: 'probe-pack' });
  await expect(pack.getByText('12 live, 2 shadow')).toBeVisible({ timeout: 20_000 });
  await expect(pack.getByText('DRL-1.1')).toBeVisible();

  // The update: one rule changed everywhere, two gone.
  await send(archive(12, 'probe2'));
  await page.getByRole('button', { name: 'Accept' }).click();
  await expect(dialog.getByText('Retire 2 rules that the pack no longer has')).toBeVisible();
  await dialog.getByLabel('Reason').fill('Newer public rules');
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await expect(pack.getByText('11 live, 12 shadow')).toBeVisible({ timeout: 20_000 });

  const saved = page.waitForEvent('download');
  await pack.getByRole('button', { name: 'Export probe-pack' }).click();
  expect((await saved).suggestedFilename()).toBe('probe-pack.zip');
  await pack.getByRole('link', { name: 'Rules of probe-pack' }).click();
  await expect(page.getByText('Probe pack rule 3', { exact: true }).first()).toBeVisible({ timeout: 20_000 });
  await page.goto('/apps/rulepacks');
  await page.getByRole('button', { name: 'Change the state of probe-pack' }).click();
  await dialog.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: /^Retired/ }).click();
  await dialog.getByLabel('Reason').fill('The journey ends');
  await dialog.getByRole('button', { name: 'Change state' }).click();
  await expect(pack.getByText('12 retired')).toBeVisible();
});

test('a partner’s analyst manages no packs', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', '/apps/rulepacks');
  await expect(page.getByText('Rule packs are managed by the provider')).toBeVisible();
});
