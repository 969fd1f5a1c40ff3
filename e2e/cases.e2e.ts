/** An analyst’s work on one attack from beginning to end, one test after the other, and the client’s view of it. */
import { readFile } from 'node:fs/promises';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import type { Browser, Page } from '@playwright/test';
import { casesOf, getJson, send } from './api.ts';
import { expect, type JourneyPersona, keepToken, portal, test, tokenOf } from './fixtures.ts';
import { mailsTo } from './mails.ts';
import { sendRansomware } from './ransomware.ts';

const client = 10;
const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const yes = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();

const newestCases = (since: number): Promise<CaseRow[]> => casesOf(portal.url, tokenOf('host'), client, since);

/** Selects a status in the case page’s side rail. */
async function setStatus(page: Page, status: string): Promise<void> {
  await button(page, /^Status: /).click();
  await page.getByRole('menuitem', { name: status, exact: true }).click();
}

/** Opens a page of the case in a separate browser context, as a persona or as a guest. */
async function elsewhere(browser: Browser, path: string, persona?: JourneyPersona): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  if (persona) await keepToken(page, tokenOf(persona));
  await page.goto(`${portal.url}${path}`);
  return page;
}

/** Fills in the closing dialog; every open item of a malicious case gets its reason. */
async function stateResolution(page: Page, resolution: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: /^Close case/ });
  await dialog.getByRole('combobox', { name: 'Resolution' }).click();
  await page.getByRole('option', { name: resolution, exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Confirmed with the client.');
  for (const box of await dialog.getByRole('textbox', { name: /\. Why/ }).all()) await box.fill('Settled by phone.');
  await dialog.getByRole('button', { name: 'Close case' }).click();
}

test.describe.configure({ mode: 'serial' });

let found: CaseRow;
let casePath: string;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  const since = Date.now() - 1_000;
  await sendRansomware(client);
  const isIt = (row: CaseRow) =>
    row.criticalityNumber === criticalityOf.critical && row.verdict !== null && row.status === 'open';
  await expect.poll(async () => (await newestCases(since)).some(isIt), { timeout: 90_000 }).toBe(true);
  found = (await newestCases(since)).find(isIt)!;
  casePath = `/apps/case/${found.id}?client=${client}`;
});

test('the case opens with its story, and each clause leads to its source', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', casePath);
  await expect(page.getByText('Critical alerts, judged malicious with high confidence')).toBeVisible();
  const story = region(page, 'Story');
  await expect(story).toContainText('This was judged malicious with high confidence.');
  await expect(story).toContainText('No response action is in effect.');
  const steps = page.getByRole('list', { name: 'Attack steps by tactic' });
  await expect(steps.getByRole('listitem').first()).toBeVisible();
  await expect(page.locator('main')).not.toContainText(/of 100\b(?!\. Over)|threshold|additive-log-odds/);
  await story.getByRole('link').first().click();
  await expect(page).toHaveURL(/\/apps\/alert\/\d+/);
});

test('the tabs of a long case stay in sight, and a switched tab shows its beginning', async ({ page, asPersona }) => {
  await page.setViewportSize({ width: 1440, height: 600 });
  await asPersona('partnerAnalyst', casePath);
  await expect(region(page, 'Evidence')).toBeVisible();
  const tabs = page.getByRole('navigation', { name: 'Case' });
  const heading = (name: string) => page.getByRole('article').getByRole('heading', { level: 2, name, exact: true });
  let beginning = heading('Story');
  for (const name of ['Timeline', 'Story', 'Notes']) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(200);
    await expect(beginning).not.toBeInViewport();
    await expect(tabs).toBeInViewport({ ratio: 1 });
    await tabs.getByRole('link', { name }).click();
    beginning = heading(name);
    await expect(beginning).toBeInViewport({ ratio: 1 });
    const [bar, title] = [await tabs.boundingBox(), await beginning.boundingBox()];
    expect(title!.y).toBeGreaterThanOrEqual(bar!.y + bar!.height);
  }
});

test('the explanation of the verdict can be linked', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', casePath);
  await page.getByRole('link', { name: 'How this was judged' }).click();
  await expect(page).toHaveURL(/how=judged/);
  await expect(region(page, 'Evidence')).toContainText('additive-log-odds');
});

test('the verdict cites evidence for each sentence', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', casePath);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(found.title);
  await expect(region(page, 'Verdict')).toContainText('Malicious, high confidence');
  const evidence = region(page, 'Evidence');
  const cited = evidence.getByRole('link', { name: /^Alert \d+/ }).first();
  const number = Number(/\d+/.exec((await cited.textContent()) ?? '')?.[0]);
  await expect(
    evidence
      .getByRole('listitem')
      .filter({ hasText: `Alert ${number}` })
      .first(),
  ).toContainText(' = ');
  await getJson(portal.url, tokenOf('partnerAnalyst'), `/alerts/${number}`);
});

test('an analyst takes the case, investigates, and writes a narrative and an internal note', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', casePath);
  await button(page, 'Assign to me').click();
  await expectToast(page, 'Successfully updated case!');
  await setStatus(page, 'Investigating');
  await expect(button(page, 'Status: Investigating')).toBeVisible();
  await button(page, 'Write narrative').click();
  await page.getByRole('textbox', { name: 'New narrative' }).fill('Files are being encrypted. **Call us** <b>now</b>.');
  await button(page, 'Save').click();
  await expect(page.getByText('<b>now</b>').first()).toBeVisible();

  await page.getByRole('link', { name: /^Notes/ }).click();
  await page.getByRole('textbox', { name: 'New note' }).fill('- seen on `two` devices\n- backup is whole');
  await page.getByRole('form', { name: 'New note' }).getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'Successfully saved analyst notes!');
});

test('an escalation emails the client, whose first answer without a sign-in sets the status', async ({
  page,
  asPersona,
  browser,
}) => {
  await asPersona('partnerAnalyst', casePath);
  await page.getByRole('link', { name: /^Email/ }).click();
  await button(page, 'Escalate to client').click();
  const mail = page.getByRole('dialog', { name: 'Escalate this case to the client?' });
  await expect(mail).toContainText('security@');
  await expect(mail.getByRole('group', { name: 'Email' })).toContainText('Was this activity expected?');
  await mail.getByRole('textbox', { name: 'Message' }).fill('Files are being encrypted. Was this you?');
  await mail.getByRole('button', { name: 'Send' }).click();
  await expect(button(page, 'Status: Escalated')).toBeVisible();
  const address = 'security@alder.example';
  await expect.poll(async () => (await mailsTo(address, `caseID=${found.id}&`)).length, { timeout: 20_000 }).toBe(1);
  const [sent = ''] = await mailsTo(address, `caseID=${found.id}&`);
  expect(sent).toContain('Was this you?');
  const link = /https?:\/\/[^\s"<>]+\/emailCaseAction\?[^\s"<>]*action=malicious[^\s"<>]*/.exec(sent)?.[0] ?? '';
  const { pathname, search } = new URL(link.replaceAll('&amp;', '&'));

  const outside = await elsewhere(browser, `${pathname}${search}`);
  await expect(outside.getByRole('button', { name: 'Cancel' })).toBeVisible();
  expect(outside.url()).not.toContain('token');
  await expect(outside.getByText('Case has been updated and notification sent.')).toBeVisible();
  await outside.goto('about:blank');
  await outside.goto(`${portal.url}${pathname}${search}`);
  await expect(outside.getByText('Only one response is accepted')).toBeVisible();
  await outside.context().close();
  await expect(button(page, 'Status: Malicious')).toBeVisible();
});

test('the closing dialog leads to the panel of responses, also below the graph', async ({ page, asPersona }) => {
  await page.setViewportSize({ width: 1000, height: 800 });
  await asPersona('partnerAnalyst', casePath);
  await setStatus(page, 'Escalated: Closed');
  await page
    .getByRole('dialog', { name: /^Close case/ })
    .getByRole('link', { name: 'Go to response' })
    .click();
  await expect(region(page, 'Response')).toBeInViewport();
});

test('a manual isolation counts as done only after its confirmation', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', casePath);
  // Isolating a server requires a second approver by default.
  await send(portal.url, tokenOf('host'), `/approvalrules/${client}`, {
    action: 'isolate',
    deviceType: 'server',
    hours: 'always',
    approvers: 'nobody',
  });
  await button(page, /^Isolate /).click();
  await yes(page);
  const ledger = page.getByRole('list', { name: 'Responses' });
  await expect(ledger).toContainText('Approved');
  await ledger.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('The device no longer responds.');
  await yes(page);
  await expectToast(page, 'Device has been successfully isolated');
  await expect(ledger).toContainText('Verified');
});

test('a second analyst marks the closed case as incorrect, which reopens it', async ({ page, asPersona, browser }) => {
  await asPersona('partnerAnalyst', casePath);
  await setStatus(page, 'Escalated: Closed');
  const closing = page.getByRole('dialog', { name: `Close case ${found.id}?` });
  await expect(closing.getByRole('listitem').filter({ hasText: / not seen/ })).toBeVisible();
  await expect(closing.getByText('No verified containment')).toHaveCount(0);
  await expect(closing.getByRole('button', { name: 'Close case' })).toBeDisabled();
  // An open item is done on another tab first: what was entered stays.
  await closing.getByRole('textbox', { name: 'Reason' }).fill('Half a reason');
  await closing.getByRole('link', { name: 'Go to alerts' }).click();
  await expect(closing).toHaveCount(0);
  await setStatus(page, 'Escalated: Closed');
  await expect(closing.getByRole('textbox', { name: 'Reason' })).toHaveValue('Half a reason');
  await stateResolution(page, 'True positive');
  await expect(button(page, 'Status: Escalated: Closed')).toBeVisible();

  const second = await elsewhere(browser, `/apps/casereviews?client=${client}&text=${found.id}&closed=any`, 'host');
  await second
    .getByRole('row')
    .filter({ hasText: `#${found.id}` })
    .first()
    .click();
  const review = second.getByRole('complementary', { name: `Review of case ${found.id}` }).or(second.getByRole('dialog'));
  await review.getByRole('button', { name: 'Mark as incorrect…' }).click();
  await second.getByRole('textbox', { name: 'Reason' }).fill('The server was not examined.');
  await second.getByRole('button', { name: 'Yes' }).click();
  await expectToast(second, 'Marked investigation status as incorrect and reopened case.');
  await second.context().close();

  await expect(button(page, 'Status: Investigating')).toBeVisible();
  await setStatus(page, 'Closed');
  await stateResolution(page, 'True positive');
  await expect(button(page, 'Status: Closed')).toBeVisible();
});

test('a reviewer edits a narrative before it is emailed', async ({ page, asPersona }) => {
  const saved = await send(portal.url, tokenOf('partnerAnalyst'), `/casedetails/narrative/${client}`, {
    caseID: found.id,
    text: 'The server may be clean.',
  });
  expect(saved.ok, await saved.clone().text()).toBe(true);
  await asPersona('partnerAnalyst', `/apps/casereviews?client=${client}&text=${found.id}&closed=any`);
  await page
    .getByRole('row')
    .filter({ hasText: `#${found.id}` })
    .first()
    .click();
  await button(page, 'Send narrative email…').click();
  const mail = page.getByRole('dialog', { name: 'Email this narrative?' });
  await expect(mail).toContainText('security@');
  const message = mail.getByRole('textbox', { name: 'Message' });
  await expect(message).toHaveValue('The server may be clean.');
  await message.fill('The server was examined and is clean.');
  await mail.getByRole('button', { name: 'Send' }).click();
  await expectToast(page, 'Successfully sent AI Decisioning narrative email.');
  const sent = () => mailsTo('security@alder.example', 'examined and is clean');
  await expect.poll(async () => (await sent()).length, { timeout: 20_000 }).toBeGreaterThan(0);
});

test('the client’s users see the case without internal notes', async ({ page, asPersona }) => {
  await asPersona('manager', `/apps/case/${found.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(found.title);
  // The edited email is what the client got; the text before stays a draft.
  await expect(page.getByText('Was this you?').first()).toBeVisible();
  await expect(page.getByText('<b>now</b>')).toHaveCount(0);
  await page.goto(`/apps/case/${found.id}?tab=notes`);
  await expect(page.getByText('backup is whole')).toHaveCount(0);
});

test('a case is exported as a STIX bundle under a mark of the Traffic Light Protocol', async ({ asPersona }) => {
  const page = await asPersona('host', casePath);
  await page.getByRole('button', { name: 'STIX 2.1' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /^TLP:GREEN/ }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toMatch(/^case-\d+\.stix\.json$/);
  const { objects } = JSON.parse(await readFile(await file.path(), 'utf8'));
  expect(objects[0].definition).toEqual({ tlp: 'green' });
  expect(objects.map(({ type }: { type: string }) => type)).toContain('observed-data');
});
