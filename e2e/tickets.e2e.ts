/** An administrator sets up tickets at a PSA; a case becomes a ticket there, and what people do with the ticket comes back to the case. */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { PsaTicket } from '@parapet/world/peers/psa.ts';
import type { Page } from '@playwright/test';
import { getJson, lastDays, send } from './api.ts';
import { closeCase } from './closing.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';

const [partner, client] = [3, 20];
const mark = Date.now().toString(36);
/** The portal reads tickets every minute. */
const untilRead = { timeout: 150_000 };

type Shown = Pick<PsaTicket, 'id'> & { summary: string; status_id: number };

/** People at the simulated HaloPSA. */
async function psa(): Promise<{
  find(summary: string): Promise<Shown | undefined>;
  post(path: string, row: object): Promise<void>;
  /** Names of the files of a ticket, and hours of its time entries. */
  left(ticket: number, text: string): Promise<{ files: string[]; hours: number[] }>;
}> {
  type Kinds = { results: { id: string; example: Record<string, string> }[] };
  const { results } = await getJson<Kinds>(portal.url, tokenOf('host'), '/deliverytargetkinds');
  const { site, clientId, clientSecret } = results.find(({ id }) => id === 'halo')!.example as Record<string, string>;
  const form = { grant_type: 'client_credentials', client_id: clientId!, client_secret: clientSecret!, scope: 'all' };
  const answer = await fetch(`${site}/auth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const headers = { authorization: `Bearer ${((await answer.json()) as { access_token: string }).access_token}` };
  return {
    async find(summary) {
      const found = await fetch(`${site}/api/tickets?search=${encodeURIComponent(summary)}`, { headers });
      return ((await found.json()) as { tickets: Shown[] }).tickets.at(-1);
    },
    async left(ticket, text) {
      const read = async (path: string) => (await fetch(`${site}/api/${path}?ticket_id=${ticket}`, { headers })).json();
      const { attachments } = (await read('attachment')) as { attachments: { filename: string }[] };
      const { actions } = (await read('actions')) as { actions: { note: string; timetaken: number }[] };
      const times = actions.filter(({ note, timetaken }) => timetaken > 0 && note.startsWith(text));
      return { files: attachments.map(({ filename }) => filename), hours: times.map(({ timetaken }) => timetaken) };
    },
    async post(path, row) {
      const posted = await fetch(`${site}/api/${path}`, { method: 'POST', headers, body: JSON.stringify([row]) });
      expect(posted.status).toBe(201);
    },
  };
}

/** A closed case that may be reopened and closed again, whatever is open on it. */
async function closedCase(): Promise<CaseRow> {
  const [start, end] = lastDays(300).split('/');
  const body = { selectedClientOrganizationID: client, start, end, page: 1, pageSize: 200, filters: {} };
  const answer = await send(portal.url, tokenOf('host'), '/case/caseList', body);
  const { results } = (await answer.json()) as { results: CaseRow[] };
  const found = results.find(
    ({ status, criticality, verdict }) => status === 'closed' && criticality !== 'critical' && verdict === 'Benign',
  );
  expect(found, results.map(({ status, criticality, verdict }) => `${status} ${criticality} ${verdict}`).join()).toBeDefined();
  return found!;
}

const choose = async (page: Page, name: string, option: string): Promise<void> => {
  await page.getByRole('dialog').getByRole('combobox', { name, exact: true }).first().click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

async function setUp(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add target' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'HaloPSA' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add HaloPSA' });
  await dialog.getByRole('button', { name: 'Fill in' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('button', { name: 'Add target' }).click();
  await page.getByRole('button', { name: `Send test to ${name}` }).click();
  await expect(page.getByRole('listitem', { name }).getByRole('alert')).toContainText('Test accepted');
  await page.getByRole('button', { name: `Tickets at ${name}` }).click();
  const form = page.getByRole('dialog', { name: `Tickets at ${name}` });
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText('Choose one.')).toBeVisible();
  await choose(page, 'Board, queue or ticket type', 'Alert');
  await choose(page, 'Investigating', 'In Progress');
  await choose(page, 'Attached when a case closes', 'Report (PDF)');
  await form.getByRole('checkbox', { name: 'Enter the handling time when a case closes' }).check();
  await choose(page, 'Work type', 'Standard');
  await form.getByRole('spinbutton', { name: 'Minutes at most' }).fill('45');
  await form.getByRole('combobox', { name: 'Dogwood Logistics' }).fill('cedar');
  await page.getByRole('option', { name: 'Cedar Logistics' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
}

async function investigate(id: number): Promise<void> {
  const detail = await getJson<{ caseGeneralInfo: { version: number } }>(portal.url, tokenOf('host'), `/casedetails/${id}/0`);
  const status = { incidentID: id, caseStatus: 'investigating', version: detail.caseGeneralInfo.version };
  expect((await send(portal.url, tokenOf('host'), '/caseDetails/caseStatusChange', status)).status).toBe(200);
}

test('a case becomes a ticket at HaloPSA, is closed there, and leaves its time and report once a person closes it', async ({
  asPersona,
}) => {
  test.setTimeout(600_000);
  const name = `Halo ${mark}`;
  const page = await asPersona('host', `/apps/deliveries?client=${partner}`);
  await setUp(page, name);

  await page.getByRole('link', { name: 'Routing rules' }).click();
  await page.getByRole('button', { name: 'Add rule' }).click();
  const rule = page.getByRole('dialog', { name: 'Add rule' });
  await choose(page, 'Target', name);
  await rule.getByRole('checkbox', { name: 'Case status changed' }).check();
  await rule.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByRole('listitem', { name: new RegExp(`to ${name}$`) })).toBeVisible();

  const { id } = await closedCase();
  await investigate(id);
  const halo = await psa();
  const reference = `${client}-case-${id}`;
  await expect.poll(async () => (await halo.find(reference))?.status_id).toBe(2);
  const ticket = (await halo.find(reference))!;

  await page.goto(`/apps/case/${id}`);
  await expect(page.getByRole('link', { name: `#${ticket.id}` })).toBeVisible();
  const comment = `The user confirmed it ${mark}`;
  await halo.post('actions', { ticket_id: ticket.id, note: comment, outcome: 'Note', hiddenfromuser: false });
  await halo.post('tickets', { id: ticket.id, status_id: 9 });
  const shown = () => getJson<{ caseGeneralInfo: { status: string } }>(portal.url, tokenOf('host'), `/casedetails/${id}/0`);
  await expect.poll(async () => (await shown()).caseGeneralInfo.status, untilRead).toBe('closed');
  await page.goto(`/apps/case/${id}?tab=notes`);
  await expect(page.getByText(comment)).toBeVisible();
  await expect(page.getByText('in HaloPSA').first()).toBeVisible();

  // A closing from the PSA leaves nothing there: its technician enters their own time.
  const left = () => halo.left(ticket.id, `Handling time of case #${id}: `);
  expect((await left()).hours).toEqual([]);
  await investigate(id);
  await page.reload();
  await closeCase(page, 'False positive', 'The user confirmed it.');
  await expect
    .poll(left, untilRead)
    .toEqual({ files: expect.arrayContaining([expect.stringMatching(/\.pdf$/)]), hours: [expect.any(Number)] });

  await page.goto(`/apps/deliveries?client=${partner}`);
  await page.getByRole('link', { name: `Deliveries to ${name}` }).click();
  await expect(page.getByRole('listitem', { name: `Ticket ${ticket.id}` }).getByText('Closed')).toBeVisible();
  await page.getByRole('link', { name: 'All targets' }).click();
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('dialog', { name: 'Remove this target?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('listitem', { name })).toBeHidden();
});
