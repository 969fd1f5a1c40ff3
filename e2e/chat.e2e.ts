/** A press in Slack links an account with the signed-in person, who then takes the case there; and a rota of people on call. */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { Received } from '@parapet/world/peers/peer.ts';
import { pressRequest, type SlackPress, slackSigningSecret } from '@parapet/world/peers/slack.presses.ts';
import { replyPath } from '@parapet/world/peers/slack.ts';
import type { Page } from '@playwright/test';
import { getJson, lastDays, send } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';

const [partner, client] = [3, 20];
const mark = Date.now().toString(36);

async function slackUrl(): Promise<string> {
  type Kinds = { results: { id: string; example: Record<string, string> }[] };
  const { results } = await getJson<Kinds>(portal.url, tokenOf('host'), '/deliverytargetkinds');
  return new URL(results.find(({ id }) => id === 'slack')!.example.url!).origin;
}
const receivedAt = async (slack: string): Promise<Received[]> => (await (await fetch(`${slack}/received`)).json()) as Received[];

/** A closed case of the client that may be reopened. */
async function closedCase(): Promise<CaseRow> {
  const [start, end] = lastDays(300).split('/');
  const body = { selectedClientOrganizationID: client, start, end, page: 1, pageSize: 200, filters: {} };
  const { results } = (await (await send(portal.url, tokenOf('host'), '/case/caseList', body)).json()) as { results: CaseRow[] };
  return results.findLast(({ status, criticality }) => status === 'closed' && criticality !== 'critical')!;
}

async function setStatus(id: number, caseStatus: string): Promise<void> {
  const detail = await getJson<{ caseGeneralInfo: { version: number } }>(portal.url, tokenOf('host'), `/casedetails/${id}/0`);
  const body = { incidentID: id, caseStatus, version: detail.caseGeneralInfo.version };
  expect((await send(portal.url, tokenOf('host'), '/caseDetails/caseStatusChange', body)).status).toBe(200);
}

/** Adds a target with callbacks; returns the path of its callbacks. */
async function addTarget(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Add target' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Slack' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add Slack' });
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('button', { name: 'Add target' }).click();
  await page.getByRole('button', { name: `Callbacks of ${name}` }).click();
  const callbacks = page.getByRole('dialog', { name: `Callbacks of ${name}` });
  await callbacks.getByRole('textbox', { name: 'Signing secret' }).fill(slackSigningSecret);
  await callbacks.getByRole('button', { name: 'Switch on' }).click();
  const address = (await callbacks.getByText(/\/callback\/[\w-]{24}/).innerText()).match(/http\S+\/callback\/[\w-]{24}/)![0];
  await callbacks.getByRole('button', { name: 'Done' }).click();
  return new URL(address).pathname;
}

/** Sends escalated cases of the client to the target. */
async function routeEscalations(name: string): Promise<void> {
  type Targets = { results: { id: number; name: string }[] };
  const { results } = await getJson<Targets>(portal.url, tokenOf('host'), `/deliverytargets/${partner}`);
  const targetId = results.find((each) => each.name === name)!.id;
  const rule = { targetId, clientId: client, isOn: true, events: ['case.statusChanged'], minSeverity: 'informational' };
  const more = { verdicts: [], statuses: ['escalated'], afterMinutes: 0, escalations: [], hours: null };
  expect((await send(portal.url, tokenOf('host'), `/deliveryrules/${partner}`, { ...rule, ...more })).status).toBe(200);
}

/** Follows the link of the reply in Slack, and confirms it. */
async function linkAccount(page: Page, slack: string): Promise<void> {
  // The reply comes after the response.
  const linkOf = async () => {
    const reply = (await receivedAt(slack)).findLast((each) => each.path === replyPath)?.body ?? '';
    return /\/apps\/settings\?tab=chat&token=[\w.-]+/.exec(reply)?.[0] ?? '';
  };
  await expect.poll(linkOf).not.toBe('');
  await page.goto(await linkOf());
  const confirm = page.getByRole('dialog', { name: 'Link this account?' });
  await expect(confirm).toContainText(`anna ${mark}`);
  await confirm.getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('listitem', { name: `anna ${mark}` })).toBeVisible();
}

test('Slack assigns a case to the person of a linked account', async ({ asPersona }) => {
  test.setTimeout(300_000);
  const name = `Slack ${mark}`;
  const slack = await slackUrl();
  const page = await asPersona('host', `/apps/deliveries?client=${partner}`);
  const path = await addTarget(page, name);
  await routeEscalations(name);
  const { id } = await closedCase();
  await setStatus(id, 'investigating');
  await setStatus(id, 'escalated');
  const messageOf = async () => (await receivedAt(slack)).findLast(({ body }) => body.includes(`#${id} `));
  await expect.poll(async () => (await messageOf())?.body ?? '').toContain('"assign"');
  const value = /"value":"([0-9a-f-]{36})"/.exec((await messageOf())!.body)![1]!;

  const press = async (at: number): Promise<void> => {
    const given: SlackPress = {
      action: 'assign',
      value,
      account: `U${mark.toUpperCase()}`,
      name: `anna ${mark}`,
      responseUrl: `${slack}${replyPath}`,
      at,
    };
    const { headers, body } = pressRequest(given);
    expect((await fetch(`${portal.url}${path}`, { method: 'POST', headers, body })).status).toBe(200);
  };
  await press(Date.now());
  await linkAccount(page, slack);

  await press(Date.now() + 1_000);
  type Detail = { caseGeneralInfo: { assignedToUserAccount: { emailAddress: string } | null } };
  const detail = await getJson<Detail>(portal.url, tokenOf('host'), `/casedetails/${id}/0`);
  const me = await getJson<{ results: { name: string }[] }>(portal.url, tokenOf('host'), '/account/chataccounts');
  expect(me.results.map((each) => each.name)).toContain(`anna ${mark}`);
  expect(detail.caseGeneralInfo.assignedToUserAccount).not.toBeNull();

  await page.getByRole('button', { name: `Unlink anna ${mark}` }).click();
  await expect(page.getByRole('listitem', { name: `anna ${mark}` })).toBeHidden();
  await page.goto(`/apps/deliveries?client=${partner}`);
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog', { name: 'Remove this target?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('listitem', { name })).toBeHidden();
});

test('an administrator fills the rota, adds a swap and sees who is on call in the next seven days', async ({ asPersona }) => {
  const page = await asPersona('host', `/apps/deliveries?client=${partner}&tab=oncall`);
  await page.getByRole('button', { name: 'Edit shifts' }).click();
  const shifts = page.getByRole('dialog', { name: 'Shifts' });
  await shifts.getByRole('button', { name: 'Add shift' }).click();
  await shifts.getByRole('button', { name: 'Save' }).click();
  await expect(shifts).toBeHidden();
  const turns = page.getByRole('list', { name: 'Next seven days: called first' });
  await expect(turns.getByRole('listitem')).toHaveCount(1);
  await page.getByRole('button', { name: 'Add swap' }).click();
  const swap = page.getByRole('dialog', { name: 'Add swap' });
  const local = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16);
  await swap.getByLabel('From').fill(local(24));
  await swap.getByLabel('To').fill(local(20));
  await swap.getByRole('button', { name: 'Save' }).click();
  await expect(swap.getByText('The end comes after the begin.')).toBeVisible();
  await swap.getByLabel('To').fill(local(48));
  await swap.getByRole('button', { name: 'Save' }).click();
  await expect(turns.getByRole('listitem').filter({ hasText: 'Swap' })).toHaveCount(1);
  await page.getByRole('button', { name: 'Write hand-over note' }).click();
  await page
    .getByRole('dialog', { name: 'Hand-over note' })
    .getByRole('textbox', { name: 'Note' })
    .fill(`Watch the mail server ${mark}`);
  await page.getByRole('dialog', { name: 'Hand-over note' }).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`Watch the mail server ${mark}`)).toBeVisible();
  await page.getByRole('button', { name: /^Remove swap/ }).click();
  await expect(turns.getByRole('listitem').filter({ hasText: 'Swap' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Edit shifts' }).click();
  await shifts.getByRole('button', { name: 'Remove shift 1' }).click();
  await shifts.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('No shifts yet')).toBeVisible();
});
