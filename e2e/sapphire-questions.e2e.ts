/** Sapphire: plain questions of three personas return figures, and the list behind each has exactly that many rows. */
import type { Page } from '@playwright/test';
import { expect, type JourneyPersona, test } from './fixtures.ts';
import { plainQuestions } from './sapphire.questions.ts';

const panelOf = (page: Page) => page.getByRole('dialog', { name: 'How can Sapphire help you today?' });
const lastOf = (page: Page) => panelOf(page).getByRole('list', { name: 'Messages' }).locator('> li').last();

/** Sends it again after the time that the limit of messages names. */
async function answerTo(page: Page, question: string, understood: string): Promise<string> {
  const input = panelOf(page).getByRole('textbox', { name: 'Your question' });
  await input.fill(question);
  await input.press('Enter');
  const answer = new RegExp(`^${understood.replace(/[()%.?]/g, '\\$&')}: ([\\d,]+)\\.`, 'm');
  const limited = panelOf(page).getByText('Too many requests.').last();
  await expect(async () => {
    await expect(lastOf(page).locator('.text').first().or(limited)).toBeVisible();
    if (await limited.isVisible()) await lastOf(page).getByRole('button', { name: 'Try again' }).click();
    await expect(lastOf(page).locator('.text').first()).toHaveText(answer, { timeout: 5_000 });
  }).toPass({ timeout: 90_000 });
  return answer.exec(await lastOf(page).locator('.text').first().innerText())![1]!;
}

for (const [persona, questions] of Object.entries(plainQuestions))
  test(`${questions.length} plain questions return figures whose lists have as many rows for ${persona}`, async ({
    page,
    asPersona,
  }) => {
    test.setTimeout(300_000);
    await asPersona(persona as JourneyPersona);
    await page.getByRole('button', { name: 'Ask Sapphire' }).click();
    for (const [question, understood] of questions) {
      const figure = await answerTo(page, question, understood);
      await lastOf(page)
        .getByRole('list', { name: 'Sources' })
        .getByRole('link', { name: new RegExp(`^${figure} `) })
        .click();
      await expect(page.getByRole('navigation', { name: 'Pages' }), question).toContainText(` of ${figure}`);
    }
  });
