/** A client's administrator imports files of events that were collected manually. */
import { expect, test } from './fixtures.ts';

const mark = Date.now().toString(36);
const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

test('an administrator imports a CSV with a mapping and reads the refused line', async ({ asPersona }) => {
  const page = await asPersona('clientAdmin', '/apps/devices?tab=imports&import=new');
  const csv = `Time;User;Source IP;Action\n${at(30)};ann-${mark};203.0.113.9;login\n${at(29)};bob;x;y;z;too many\n${at(28)};cyd-${mark};10.0.0.7;logout\n`;
  await page.setInputFiles('input[type=file]', { name: `badge-${mark}.csv`, mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await expect(page.getByRole('combobox', { name: 'Format' })).toHaveText('CSV');
  await expect(page.getByLabel('ECS field of Time')).toHaveValue('@timestamp');
  await page.getByLabel('ECS field of Source IP').selectOption('source.ip');
  const preview = page.getByRole('article', { name: 'Event 1' });
  await expect(preview.getByText(`login by ann-${mark} from 203.0.113.9`)).toBeVisible();
  await page.getByRole('button', { name: 'Import', exact: true }).click();

  const row = page.getByRole('listitem', { name: `badge-${mark}.csv` });
  await expect(row.getByText('Imported', { exact: true })).toBeVisible();
  await row.getByText('1 refused record').click();
  await expect(row.getByText(/Line 3: This row has 6 cells/)).toBeVisible();
  await page.goto(`/apps/events?user=ann-${mark}`);
  await expect(page.getByText(`login by ann-${mark} from 203.0.113.9`).first()).toBeVisible();
});

test('an administrator imports Windows events of Get-WinEvent', async ({ asPersona }) => {
  const page = await asPersona('clientAdmin', '/apps/devices?tab=imports&import=new');
  const event = {
    Id: 1102,
    LogName: 'Security',
    ProviderName: 'Microsoft-Windows-Eventlog',
    MachineName: `ws-${mark}.alder.example`,
    TimeCreated: `/Date(${Date.parse(at(20))})/`,
    Properties: [{ Value: 'S-1-5-18' }, { Value: 'ann' }],
    Message: 'The audit log was cleared.',
  };
  const buffer = Buffer.from(`\uFEFF${JSON.stringify([event], null, 4)}`, 'utf16le');
  await page.setInputFiles('input[type=file]', { name: `log-${mark}.json`, mimeType: 'application/json', buffer });
  await expect(page.getByRole('combobox', { name: 'Format' })).toHaveText('Windows events (JSON)');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const row = page.getByRole('listitem', { name: `log-${mark}.json` });
  await expect(row.getByText('Imported', { exact: true })).toBeVisible();
  await expect(row.getByText('0', { exact: true }).first()).toBeVisible();
});
