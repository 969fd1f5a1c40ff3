/** Vulnerabilities: scan uploads, accepted and reopened findings, imported advisories, and read-only access. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const device = 'ALD-DC-01';
const cve = 'CVE-2099-31337';
/** Untrusted text in a scan result. */
const title = '<img src=x onerror=alert(1)> in everything';
const trivy = {
  SchemaVersion: 2,
  ArtifactName: device,
  ArtifactType: 'filesystem',
  Results: [
    {
      Target: 'debian 12.5',
      Class: 'os-pkgs',
      Type: 'debian',
      Vulnerabilities: [
        {
          VulnerabilityID: cve,
          PkgName: 'journey-pkg',
          InstalledVersion: '1.0-1',
          FixedVersion: '1.0-2',
          Severity: 'HIGH',
          Title: title,
          CVSS: { nvd: { V3Score: 8.1 } },
        },
      ],
    },
  ],
};

const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
const file = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });

test('an administrator uploads a scan, reads why a finding ranks first, accepts it and reopens it', async ({
  page,
  asPersona,
}) => {
  await asPersona('clientAdmin', '/apps/vulnerability');
  await page.getByRole('button', { name: 'Upload scan' }).click();
  const dialog = page.getByRole('dialog', { name: 'Upload scan' });
  await dialog.getByRole('combobox', { name: 'Device' }).fill(device);
  await page.getByRole('option', { name: device, exact: true }).click();
  await dialog.locator('input[type=file]').setInputFiles(file('no-scan.json', '{"hello": "world"}'));
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expectToast(page, 'Couldn’t import the scan result.');
  await dialog.locator('input[type=file]').setInputFiles(file('trivy.json', JSON.stringify(trivy)));
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('Trivy: 1 package');
  await dialog.getByRole('link', { name: '1 finding' }).click();

  await expect(page).toHaveURL(/tab=findings&device=/);
  await page.getByRole('searchbox', { name: 'Search findings' }).fill(cve);
  // A search closes the open finding.
  await expect(page).toHaveURL(/text=CVE/);
  const rows = page.getByRole('grid', { name: 'Findings' }).getByRole('row').filter({ hasText: cve });
  await expect(rows).toHaveCount(1);
  await rows.getByText(cve).click();
  const panel = page.getByRole('complementary', { name: cve });
  await expect(panel.getByRole('heading', { level: 2 })).toHaveText(title);
  await expect(panel).toContainText('CVSS base score 8.1');
  await expect(panel).toContainText('1.0-2');
  await expect(panel.getByRole('link', { name: `${cve} at NVD` })).toHaveAttribute(
    'href',
    `https://nvd.nist.gov/vuln/detail/${cve}`,
  );

  await panel.getByRole('button', { name: 'Accept' }).click();
  const accept = page.getByRole('dialog', { name: `Accept ${cve}?` });
  await accept.getByRole('button', { name: 'Accept' }).click();
  await expect(accept).toContainText('Please fill in this field.');
  await accept.getByRole('textbox', { name: 'Reason' }).fill('Not reachable, says the journey');
  await accept.getByRole('button', { name: 'Accept' }).click();
  await expectToast(page, `${cve} on ${device} accepted`);
  await expect(rows).toHaveCount(0);

  await page.getByRole('button', { name: 'State' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Accepted' }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/state=accepted/);
  await rows.getByText(cve).click();
  await expect(panel).toContainText('Not reachable, says the journey');
  await panel.getByRole('button', { name: 'End acceptance' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expectToast(page, `${cve} on ${device} reopened`);
  await expect(rows).toHaveCount(0);

  await page.goto(`/apps/device/10/${device}?tab=vulnerabilities`);
  await expect(page.getByRole('region', { name: 'Open findings' })).toContainText(cve);
});

test('a host imports scores and sees the skipped rows, and the overview names the sources of its scores', async ({
  page,
  asPersona,
}) => {
  await asPersona('host', '/apps/vulnerability?client=10&tab=sources');
  const importing = page.getByRole('region', { name: 'Import' });
  await importing.locator('input[type=file]').setInputFiles({
    name: 'epss.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('cve,epss,percentile\nCVE-2021-44228,0.97,0.99\nnonsense,2,3\n'),
  });
  await expect(importing.getByRole('combobox', { name: 'File type' })).toHaveText('EPSS scores');
  await importing.getByRole('button', { name: 'Import' }).click();
  await expect(importing.getByRole('alert')).toContainText('Imported 1 entry. One entry was left out:');
  await expect(page.getByRole('region', { name: 'Advisory sources' })).toContainText('EPSS scores');

  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  const scores = page.getByRole('region', { name: 'Score by category' });
  const empty = scores.getByText('No scores yet');
  const chart = scores.getByRole('img', { name: /^Score by category: Application Security/ });
  await expect(chart.or(empty)).toBeVisible();
  if (await chart.isVisible()) {
    await scores.getByRole('button', { name: 'Score by category as a table' }).click();
    await expect(scores.getByRole('row')).toHaveCount(11);
  }
});

test('a manager reads the vulnerabilities without edit controls', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/vulnerability?tab=devices');
  await expect(page.getByRole('grid', { name: 'Devices by findings' }).getByRole('row').nth(1)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Upload scan' })).toHaveCount(0);
  // This page has no timeframe (spec §2.2).
  await expect(page.getByRole('combobox', { name: 'Timeframe' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Advisories', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Advisory sources' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Import' })).toHaveCount(0);
});
