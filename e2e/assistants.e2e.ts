/** An assistant connects by OAuth: consent clicked in the browser, a proposal that a person accepts on the case page, and the end of the access. */
import { createServer } from 'node:http';
import { callback, createAssistant } from '../packages/server/test/assistant.fixture.ts';
import { casesOf } from './api.ts';
import { expect, keepToken, ownTokenOf, portal, test } from './fixtures.ts';

/** The portal’s public address, of which tokens are. */
const publicUrl = () => portal.url.replace('127.0.0.1', 'localhost');

// One address for both.
test.describe.configure({ mode: 'serial' });

/** The program on this device, to whose address the browser is led. */
const program = createServer((_request, response) => void response.end('Connected'));
test.beforeAll(() => new Promise<void>((resolve) => program.listen(Number(new URL(callback).port), '127.0.0.1', resolve)));
test.afterAll(() => new Promise((resolve) => program.close(resolve)));

test('an assistant gets consent, proposes a note and a response, and loses its access', async ({ page }) => {
  const token = await ownTokenOf('partnerAnalyst');
  await keepToken(page, token);
  const assistant = createAssistant(`${publicUrl()}/mcp`, { name: 'Journey assistant' });

  await page.goto((await assistant.start()).href);
  await expect(page.getByRole('heading', { name: 'Connect an assistant' })).toBeVisible();
  await expect(page.getByText('Journey assistant')).toBeVisible();
  await expect(page.getByText('a program on this device')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Access' }).getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: 'Allow access' }).click();
  await page.waitForURL(`${callback}**`);
  const back = new URL(page.url());
  await assistant.finish(back.searchParams.get('code') ?? '', back.searchParams.get('iss') ?? undefined);

  const client = await assistant.connect();
  const [found] = await casesOf(portal.url, token, 10);
  const text = `Checked by the journey ${Date.now()}`;
  const propose = async (name: string, args: object) => {
    const { isError, content } = await client.callTool({ name, arguments: { case: found?.incidentID, ...args } });
    expect(isError ?? false, JSON.stringify(content)).toBe(false);
  };
  await propose('propose_note', { text });
  await propose('propose_response', { action: 'blockUser', target: 'administrator', reason: 'Guessed password' });

  await page.goto(`${publicUrl()}/apps/case/${found?.incidentID}`);
  const proposals = page.getByRole('list', { name: 'Proposals' });
  await expect(proposals.getByRole('listitem')).toHaveCount(2);
  await proposals.getByRole('listitem').filter({ hasText: text }).getByRole('button', { name: 'Save as my note' }).click();
  await expect(proposals.getByRole('listitem')).toHaveCount(1);
  await proposals.getByRole('button', { name: 'Request response' }).click();
  await expect(page.getByRole('dialog')).toContainText('administrator');
  await page.getByRole('button', { name: 'No' }).click();
  await proposals.getByRole('button', { name: 'Dismiss' }).click();
  await expect(proposals).toHaveCount(0);
  await page.goto(`${publicUrl()}/apps/case/${found?.incidentID}?tab=notes`);
  await expect(page.getByText(text)).toBeVisible();

  await page.goto(`${publicUrl()}/apps/settings?tab=api-keys`);
  await page.getByRole('button', { name: 'End access of Journey assistant' }).first().click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByText('Access ended')).toBeVisible();
  await expect(client.listTools()).rejects.toThrow();
});

test('a guest signs in first, and denies the access', async ({ page }) => {
  const assistant = createAssistant(`${publicUrl()}/mcp`, { name: 'Denied assistant' });
  await page.goto((await assistant.start()).href);
  await expect(page).toHaveURL(/\/login/);
  await keepToken(page, await ownTokenOf('analyst'));
  await page.goto((await assistant.start()).href);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(`${callback}**`);
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
});
