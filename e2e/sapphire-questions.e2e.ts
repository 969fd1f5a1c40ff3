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
    test.setTimeout(420_000);
    await asPersona(persona as JourneyPersona);
    await page.getByRole('button', { name: 'Ask Sapphire' }).click();
    for (const [question, understood] of questions) {
      const figure = await answerTo(page, question, understood);
      await lastOf(page)
        .getByRole('list', { name: 'Sources' })
        .getByRole('link', { name: new RegExp(`^${figure} `) })
        .click();
      const shown = figure === '0' ? page.getByText(/^No matching /) : page.getByRole('navigation', { name: 'Pages' });
      await expect.soft(shown, question).toContainText(figure === '0' ? 'No matching' : ` of ${figure}`, { timeout: 20_000 });
      // The list of one client selects it, and a question continues the one before.
      await page.goBack();
      await panelOf(page).getByRole('button', { name: 'Clear chat' }).click();
    }
  });
