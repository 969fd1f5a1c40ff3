/** Sapphire: the button, the panel, the four suggested questions with their sources, feedback, training and its administration (spec §2.6, §4, §8). */
import { gzipSync } from 'node:zlib';
import { loadingPhraseMs, suggestedDelayMs, suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import type { Page, Request, Response } from '@playwright/test';
import { expect, type JourneyPersona, keepToken, ownTokenOf, test } from './fixtures.ts';

const buttonOf = (page: Page) => page.getByRole('button', { name: 'Ask Sapphire' });
const panelOf = (page: Page) => page.getByRole('dialog', { name: 'How can Sapphire help you today?' });
const inputOf = (page: Page) => panelOf(page).getByRole('textbox', { name: 'Your question' });
const messagesOf = (page: Page) => panelOf(page).getByRole('list', { name: 'Messages' }).locator('> li');
const isSapphires = (request: Request) => /\/sapphire/.test(new URL(request.url()).pathname) && request.url().includes('/api/');
const isChat = (request: Request) => request.url().endsWith('/dashboard/sapphire-chat');

async function open(page: Page): Promise<void> {
  await buttonOf(page).click();
  await expect(inputOf(page)).toBeFocused();
}
async function ask(page: Page, question: string): Promise<void> {
  await inputOf(page).fill(question);
  await inputOf(page).press('Enter');
}

/** A possible response of the server. */
const replyOf = (more: object) => ({
  sapphireEndpointResponse: 'An answer.',
  userDataFile: null,
  messageID: 1,
  kind: 'answer',
  sources: [],
  table: null,
  choices: [],
  understood: '',
  chart: null,
  writtenBy: 'portal',
  ...more,
});

const personas: JourneyPersona[] = ['host', 'partnerAnalyst', 'manager'];
for (const persona of personas) {
  test(`the four suggested questions return answers with sources for ${persona}`, async ({ page, asPersona }) => {
    await page.clock.install();
    const requests: Request[] = [];
    page.on('request', (request) => isChat(request) && requests.push(request));
    await asPersona(persona);
    await open(page);
    await expect(panelOf(page).getByRole('list', { name: 'Suggested questions' }).getByRole('button')).toHaveText(
      suggestedQuestions as unknown as string[],
    );

    for (const [at, question] of suggestedQuestions.entries()) {
      await panelOf(page).getByRole('button', { name: question }).click();
      // The question appears in the history immediately; the request follows after 5 seconds.
      await expect(messagesOf(page).filter({ hasText: question })).toBeVisible();
      await expect(panelOf(page).getByText('Sending your question…').first()).toBeVisible();
      await page.clock.fastForward(suggestedDelayMs - 2000);
      expect(requests).toHaveLength(at);
      await page.clock.fastForward(2000);
      const answer = messagesOf(page).nth(2 * at + 1);
      await expect(answer.getByRole('list', { name: 'Sources' }).getByRole('link').first()).toBeVisible();
      expect(requests).toHaveLength(at + 1);
      expect(requests[at]?.postDataJSON()).toMatchObject({ clientRequest: question, userUtcOffset: 0 });
    }

    // Each source opens a page of the portal.
    for (const at of suggestedQuestions.keys()) {
      const answer = messagesOf(page).nth(2 * at + 1);
      const source = answer.getByRole('list', { name: 'Sources' }).getByRole('link').first();
      await expect(source).toHaveAttribute('href', /^\/(apps|pages)\//);
      await source.click();
      await expect(page).toHaveURL((await source.getAttribute('href')) === null ? /never/ : /\/(apps|pages)\//);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await expect(page.getByText('Page not found')).toHaveCount(0);
      await expect(page.getByText('Couldn’t load')).toHaveCount(0);
      // Alerts of the most common type and open cases: the linked list has the number of rows in the source’s text.
      const count = /^([\d,]+) (?:alerts?|cases?)/.exec(await source.innerText())?.[1];
      if (at === 1 || at === 3) await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText(` of ${count}`);
    }
  });
}

/** Bodies of the requests that the page sends to Sapphire; returns the last one of a path. */
function watchRequests(page: Page): (path: string) => Record<string, unknown> {
  const requests: [path: string, body: Record<string, unknown>][] = [];
  page.on('request', (request) => {
    if (isSapphires(request) && request.method() === 'POST')
      requests.push([new URL(request.url()).pathname.replace('/api/v1/dashboard/sapphire-', ''), request.postDataJSON()]);
  });
  return (path) => requests.findLast(([each]) => each === path)?.[1] ?? {};
}

test('an answer with rows previews and saves them as a file', async ({ page, asPersona }) => {
  await asPersona('manager');
  await open(page);
  await ask(page, 'List the open cases of the last 12 months');
  const answer = messagesOf(page).nth(1);
  await expect(answer.getByRole('region', { name: 'Rows of this answer' }).getByRole('row').nth(1)).toBeVisible();
  await answer.getByRole('button', { name: /^Preview / }).click();
  await expect(answer.getByRole('region', { name: /^First rows of / })).toBeVisible();
  const saving = page.waitForEvent('download');
  await answer.getByRole('button', { name: /^Download / }).click();
  expect((await saving).suggestedFilename()).toMatch(/\.csv$/);
});

test('an answer is rated up, then down with a comment', async ({ page, asPersona }) => {
  const lastOf = watchRequests(page);
  await asPersona('manager');
  await open(page);
  await ask(page, 'How many open cases do we have?');
  const answer = messagesOf(page).nth(1);
  await answer.getByRole('button', { name: 'Yes, this helped' }).click();
  await expect(answer.getByText('Thanks for your feedback!')).toBeVisible();
  await expect.poll(() => lastOf('flag')).toMatchObject({ flag: 1, conversationUUID: lastOf('chat').conversationUUID });
  await answer.getByRole('button', { name: 'No, this did not help' }).click();
  await expect.poll(() => lastOf('flag')).toMatchObject({ flag: 0 });
  await answer.getByRole('textbox', { name: /What was missing or wrong/ }).fill('I meant closed ones.');
  await answer.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(answer.getByRole('textbox')).toHaveCount(0);
  expect(lastOf('feedback')).toMatchObject({ flag: 0, text: 'I meant closed ones.', messageID: lastOf('flag').messageID });
});

test('the history survives navigation and a reload, and a cleared one starts another conversation', async ({
  page,
  asPersona,
}) => {
  const lastOf = watchRequests(page);
  await asPersona('manager');
  await open(page);
  await ask(page, 'How many open alerts do we have?');
  await messagesOf(page).nth(1).getByRole('button', { name: 'Yes, this helped' }).click();
  await expect(panelOf(page).getByText('Thanks for your feedback!')).toBeVisible();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Alerts' }).click();
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await expect(messagesOf(page)).toHaveCount(2);
  await page.reload();
  await open(page);
  await expect(messagesOf(page)).toHaveCount(2);
  await expect(panelOf(page).getByText('Thanks for your feedback!')).toBeVisible();

  const before = lastOf('chat').conversationUUID;
  await panelOf(page).getByRole('button', { name: 'Clear chat' }).click();
  await expect(panelOf(page).getByRole('list', { name: 'Messages' })).toHaveCount(0);
  await expect(inputOf(page)).toBeFocused();
  await ask(page, 'How many open cases do we have?');
  await expect(messagesOf(page)).toHaveCount(2);
  expect(lastOf('chat').conversationUUID).not.toBe(before);
});

test('the history ends with the session', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/dashboard', await ownTokenOf('manager'));
  await open(page);
  await ask(page, 'How many open cases do we have?');
  await expect(messagesOf(page)).toHaveCount(2);
  expect(await page.evaluate(() => sessionStorage.getItem('sapphire'))).toContain('How many open cases');
  await page.getByRole('button', { name: /^User menu/ }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in', level: 1 })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem('sapphire'))).toBeNull();
});

/** A word of this test alone. */
const newWord = () => `zephyr${Date.now().toString(36)}`;
const trainingForm = (page: Page) => panelOf(page).getByRole('form', { name: 'Training' });

/** Asks about a word that Sapphire does not know, and opens the training form. */
async function askUnknown(page: Page, word: string) {
  await open(page);
  await ask(page, `Where do we keep the ${word}?`);
  await expect(messagesOf(page)).toHaveCount(2);
  await panelOf(page).getByRole('button', { name: 'No, this did not help' }).click();
  await expect(panelOf(page).getByText('Thanks for your feedback!')).toBeVisible();
  await panelOf(page).getByRole('button', { name: 'Training form' }).click();
}

async function teach(page: Page, word: string) {
  const form = trainingForm(page);
  await form.getByRole('combobox', { name: 'Type' }).selectOption('Question and Answer');
  await form.getByRole('textbox', { name: 'Question' }).fill(`Who feeds the ${word}?`);
  await form.getByRole('textbox', { name: 'Answer' }).fill('The night shift.');
  await form.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Knowledge successfully inserted' })).toBeVisible();
}

async function openAdministration(page: Page) {
  await page.goto('/apps/settings?tab=administration');
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Sapphire/ })
    .click();
}
const openTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sapphire' }).getByRole('link', { name }).click();

test('a Host submits knowledge in the training form', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/dashboard');
  const word = newWord();
  await askUnknown(page, word);
  const form = trainingForm(page);
  await expect(form.getByRole('combobox', { name: 'Type' }).getByRole('option')).toHaveText(['Text', 'Question and Answer']);
  await expect(form.getByRole('textbox', { name: 'Text' })).toHaveAttribute('rows', '4');
  await teach(page, word);
  await expect(form.getByRole('textbox', { name: 'Question' })).toHaveValue('');
  await page.route('**/dashboard/sapphire-knowledge-insert', (route) => route.fulfill({ status: 500, json: {} }));
  await form.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Knowledge insertion failed' })).toBeVisible();
  await form.getByRole('button', { name: 'Close' }).click();
  await expect(inputOf(page)).toBeFocused();
});

test('a question becomes knowledge, and submitted knowledge waits for review', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/dashboard');
  const word = newWord();
  await askUnknown(page, word);
  await teach(page, word);

  await openAdministration(page);
  const question = page.getByRole('listitem').filter({ hasText: `Where do we keep the ${word}?` });
  await question.getByRole('button', { name: 'Convert to knowledge' }).click();
  const box = page.getByRole('dialog').getByRole('textbox', { name: 'Knowledge' });
  await expect(box).toHaveValue(new RegExp(word));
  await box.press('ControlOrMeta+End');
  await box.pressSequentially('In the server room.');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(question).toHaveCount(0);

  await openTab(page, 'Knowledge');
  await expect(page.getByRole('listitem').filter({ hasText: word }).filter({ hasText: 'In the server room.' })).toContainText(
    'Used in answers',
  );
  const taught = page.getByRole('listitem').filter({ hasText: `Who feeds the ${word}?` });
  await expect(taught).toContainText('Pending review');
  await taught.getByRole('button', { name: 'Approve' }).click();
  await expect(taught).toContainText('Used in answers');
  await taught.getByRole('button', { name: 'Reject' }).click();
  await expect(taught).toContainText('Rejected');
});

test('a Host decides who can submit knowledge', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/dashboard');
  await openAdministration(page);
  await openTab(page, 'Teachers');
  await page.getByRole('link', { name: 'Birch Dental Group' }).click();
  const teacher = page.getByRole('switch', { name: /can submit knowledge$/ }).first();
  const was = await teacher.isChecked();
  // The switch changes with the answer.
  const save = async (isTeacher: boolean) => {
    await Promise.all([page.waitForResponse(/\/sapphire\/teachers\/\d+\/\d+$/), teacher.click()]);
    await expect(teacher).toBeChecked({ checked: isTeacher });
  };
  await save(!was);
  await page.reload();
  await expect(teacher).toBeChecked({ checked: !was });
  await save(was);
});

test('the panel opens by keyboard with the input focused, and Escape closes it and returns the focus', async ({
  page,
  asPersona,
}) => {
  await asPersona('analyst', '/apps/alerts?timeframe=lastMonth');
  await expect(page.getByRole('row').nth(2)).toBeVisible();
  const scripts: Promise<number>[] = [];
  const onResponse = (response: Response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body().then((body) => gzipSync(body).length));
  };
  page.on('response', onResponse);
  await buttonOf(page).focus();
  await page.keyboard.press('Enter');
  await expect(inputOf(page)).toBeFocused();
  await expect(buttonOf(page)).toHaveAttribute('aria-expanded', 'true');
  // Requests made on opening.
  const loaded = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
  // Responses of later pages may end after the test.
  page.off('response', onResponse);
  expect(loaded).toBeGreaterThan(2_000);
  expect(loaded).toBeLessThan(40_000);
  await page.keyboard.press('Escape');
  await expect(panelOf(page)).toBeHidden();
  await expect(buttonOf(page)).toBeFocused();
  // The page stays usable: its shortcuts work and the panel stays open.
  await page.keyboard.press('Enter');
  await page.getByRole('row').nth(2).click();
  await expect(panelOf(page)).toBeVisible();
});

test('a guest is prompted to sign in without a request, and the sign-in page has no button', async ({ page }) => {
  const calls: string[] = [];
  page.on('request', (request) => isSapphires(request) && calls.push(request.url()));
  for (const path of ['/pages/faq', '/register']) {
    await page.goto(path);
    await buttonOf(page).click();
    await expect(panelOf(page)).toContainText('Please sign in');
    await expect(panelOf(page).getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login');
    await expect(panelOf(page).getByRole('textbox')).toHaveCount(0);
  }
  expect(calls).toEqual([]);
  for (const [path, heading] of [
    ['/login', 'Sign in'],
    ['/emailCaseAction', 'Case'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
    await expect(buttonOf(page)).toHaveCount(0);
  }
});

const loadingOf = (page: Page) => panelOf(page).getByText('Lets see').or(panelOf(page).getByText('Counting'));

/** Replies with these in turn, each when it is released; undefined: too many requests. */
async function replyInTurn(page: Page, replies: readonly (ReturnType<typeof replyOf> | undefined)[]): Promise<() => void> {
  let release = () => {};
  const waiting = [...replies];
  await page.route('**/dashboard/sapphire-chat', async (route) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    const reply = waiting.shift();
    await (reply ? route.fulfill({ json: reply }) : route.fulfill({ status: 429, headers: { 'retry-after': '7' }, json: {} }));
  });
  await page.route('**/dashboard/sapphire-loading-phrases', (route) => route.fulfill({ json: ["Let's 'see'", 'Counting'] }));
  return () => release();
}

test('a reply renders as text and links only to pages of the portal', async ({ page, asPersona }) => {
  await page.clock.install();
  const evil = '<img src=x onerror="window.hit=1"> [x](javascript:window.hit=1)';
  const release = await replyInTurn(page, [
    replyOf({
      sapphireEndpointResponse: evil,
      sources: [
        { text: evil, path: '/apps/alerts' },
        ...['https://evil.example/', '//evil.example/apps/', 'javascript:window.hit=1', '/apps/../logout'].map((path) => ({
          text: 'Elsewhere',
          path,
        })),
      ],
      table: { columns: [evil], rows: [{ cells: [evil], path: 'javascript:window.hit=1' }] },
      choices: ['Only <b>critical</b>'],
    }),
  ]);
  await asPersona('manager');
  await open(page);
  await ask(page, 'x');
  // The server’s phrases, without single quotes, 4 seconds each.
  await expect(panelOf(page).getByText('Lets see')).toBeVisible();
  await page.clock.fastForward(loadingPhraseMs);
  await expect(panelOf(page).getByText('Counting')).toBeVisible();
  release();
  await expect(messagesOf(page).nth(1).locator('.text').first()).toHaveText(evil);
  await expect(messagesOf(page).nth(1).getByRole('link')).toHaveCount(1);
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
  await panelOf(page).getByRole('button', { name: 'Only <b>critical</b>' }).click();
  await expect(messagesOf(page).nth(2)).toContainText('Only <b>critical</b>');
});

test('a reply offers a contact for support, another try, and is announced while the panel is closed', async ({
  page,
  asPersona,
}) => {
  const support = replyOf({ kind: 'support', sapphireEndpointResponse: 'You can talk to a person: [chat-link]', messageID: 2 });
  const release = await replyInTurn(page, [support, undefined, replyOf({ messageID: 3 })]);
  await asPersona('manager');
  await open(page);
  await ask(page, 'Help');
  await expect(loadingOf(page)).toBeVisible();
  release();
  await expect(messagesOf(page).nth(1)).toContainText('Please contact live support');
  await expect(panelOf(page)).not.toContainText('[chat-link]');

  await ask(page, 'Too much');
  await expect(loadingOf(page)).toBeVisible();
  release();
  await expect(messagesOf(page).nth(2)).toContainText('Too many requests. Please try again in 7 s.');

  await messagesOf(page).nth(2).getByRole('button', { name: 'Try again' }).click();
  await expect(loadingOf(page)).toBeVisible();
  await inputOf(page).press('Escape');
  release();
  await expect(page.getByText('Sapphire has answered')).toBeAttached();
  await open(page);
  await expect(messagesOf(page).nth(3)).toContainText('An answer.');
  await expect(page.getByText('Sapphire has answered')).toHaveCount(0);
});

test('the panel fits at 320 px and is absent in print', async ({ page, asPersona }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await asPersona('manager');
  await open(page);
  const box = (await panelOf(page).boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(320);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.emulateMedia({ media: 'print' });
  await expect(panelOf(page)).toBeHidden();
  await expect(buttonOf(page)).toBeHidden();
});

test('an analyst without the permission to teach sees no training form', async ({ page }) => {
  await keepToken(page, await ownTokenOf('analyst'));
  const may = page.waitForResponse((response) => response.url().endsWith('/sapphire/may'));
  await page.goto('/apps/dashboard');
  await open(page);
  expect(await (await may).json()).toEqual({ isTeacher: false });
  await expect(panelOf(page).getByRole('button', { name: 'Training form' })).toHaveCount(0);
});
