/** Users: created, changed, deleted and restored, with the texts of spec §2.5, §5 and §8, and the reasons shown without permission. */
import type { Page } from '@playwright/test';
import { expect, newUser, ownTokenOf, portal, test, tokenOf } from './fixtures.ts';

const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();
const rowOf = (page: Page, text: string) => page.getByRole('grid', { name: 'Users' }).getByRole('row').filter({ hasText: text });
const unique = () => Date.now().toString(36);
const password = 'Quiet-Harbour-47!';

async function chooseRole(page: Page, role: string) {
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: role, exact: true }).click();
}

/** An image of the given size in pixels, drawn by the browser. */
async function pictureOf(page: Page, width: number, height: number): Promise<Buffer> {
  const url = await page.evaluate(
    ([w, h]) => {
      const canvas = document.createElement('canvas');
      canvas.width = w as number;
      canvas.height = h as number;
      const context = canvas.getContext('2d');
      if (context) {
        context.fillStyle = '#2255aa';
        context.fillRect(0, 0, canvas.width, canvas.height);
      }
      return canvas.toDataURL('image/png');
    },
    [width, height],
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

test('an administrator corrects invalid input and creates a user, which is audited', async ({ page, asPersona }) => {
  const email = `kim.${unique()}@alder.example`;
  await asPersona('clientAdmin', '/apps/users', await ownTokenOf('clientAdmin'));
  await page.getByRole('link', { name: 'New user' }).click();
  await expect(page).toHaveURL('/apps/profile');
  await expect(page.getByRole('heading', { name: 'User Account Profile' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Change Password' })).toHaveCount(0);

  const save = page.getByRole('button', { name: 'Save', exact: true });
  await page.getByRole('textbox', { name: 'Email' }).fill('nobody');
  await save.click();
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveAccessibleDescription(
    'Please provide a valid email address for this user',
  );
  await expect(page.getByRole('textbox', { name: 'First name' })).toHaveAccessibleDescription('Please fill in this field.');
  await expect(page.getByRole('textbox', { name: 'Password', exact: true })).toHaveAccessibleDescription(
    /^The password you provided does not meet our complexity requirements\./,
  );

  await page.getByRole('textbox', { name: 'First name' }).fill('Kim');
  await page.getByRole('textbox', { name: 'Last name' }).fill('Berger');
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
  await page.getByRole('textbox', { name: 'Confirm password' }).fill(`${password}x`);
  await chooseRole(page, 'Analyst');
  await save.click();
  await expect(page.getByRole('textbox', { name: 'Confirm password' })).toHaveAccessibleDescription(
    "The passwords you entered don't match, please try again",
  );
  await page.getByRole('textbox', { name: 'Confirm password' }).fill(password);
  await save.click();
  await expectToast(page, 'User saved successfully');
  await expect(page).toHaveURL(/\/apps\/profile\/\d+$/);
  await expect(page.getByRole('heading', { name: 'Kim Berger', level: 1 })).toBeVisible();

  await page.goto('/apps/audit?text=user.&timeframe=thisWeek');
  const entries = page.getByRole('grid', { name: 'Audit log' }).getByRole('row');
  await expect(entries.filter({ hasText: 'user.created' }).first()).toBeVisible();
});

test('an administrator changes a user, and cancelled navigation keeps the input', async ({ page, asPersona }) => {
  const { id } = await newUser('kim');
  await asPersona('clientAdmin', `/apps/profile/${id}`);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await page.getByRole('textbox', { name: 'Last name' }).fill('Bergmann');
  await page.getByRole('link', { name: 'Settings' }).click();
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
  await leaving.getByRole('button', { name: 'No' }).click();
  await expect(page.getByRole('textbox', { name: 'Last name' })).toHaveValue('Bergmann');
  await chooseRole(page, 'Manager');
  await save.click();
  await expectToast(page, 'User saved successfully');
  await expect(page.getByRole('heading', { name: 'Noor Bergmann', level: 1 })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Role' })).toHaveText('Manager');
});

test('an administrator deletes a user after a confirmation', async ({ page, asPersona }) => {
  const { id, email } = await newUser('kim');
  await asPersona('clientAdmin', `/apps/profile/${id}`);
  await page.getByRole('button', { name: 'Delete user' }).click();
  const sure = page.getByRole('dialog', { name: 'Deletion Confirmation' });
  await expect(sure).toContainText(`Please confirm that you would like to delete ${email} from the user list?`);
  await sure.getByRole('button', { name: 'No' }).click();
  await expect(sure).toHaveCount(0);
  await page.getByRole('button', { name: 'Delete user' }).click();
  await sure.getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('heading', { name: 'Deleted User Account Profile:' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete user' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Delete user' })).toHaveAccessibleDescription('This user is already deleted.');
});

test('the address of a deleted user leads to the account, which is reactivated and invited', async ({ page, asPersona }) => {
  const { id, email } = await newUser('kim');
  const deletion = await fetch(`${portal.url}/api/v1/User/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${tokenOf('host')}` },
  });
  expect(deletion.status, await deletion.text()).toBe(200);
  await asPersona('clientAdmin', '/apps/profile');
  await page.getByRole('textbox', { name: 'First name' }).fill('Kim');
  await page.getByRole('textbox', { name: 'Last name' }).fill('Berger');
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await chooseRole(page, 'Analyst');
  await page.getByRole('radio', { name: 'Send an invitation by email' }).check();
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expectToast(page, 'Email Account already registered under deactive account. Please reactivate account.');
  await page.getByRole('link', { name: 'Open that account' }).click();
  await expect(page.getByRole('heading', { name: 'Deleted User Account Profile:' })).toBeVisible();
  await page.getByRole('button', { name: 'Reactivate' }).click();
  await page.getByRole('dialog', { name: 'Reactivate the user?' }).getByRole('button', { name: 'Yes' }).click();
  await expect(page.getByRole('heading', { name: 'User Account Profile', exact: true })).toBeVisible();

  // The list finds the user, and the outbox holds the invitation.
  await page.goto('/apps/users');
  await page.getByRole('searchbox', { name: 'Search users' }).fill(email);
  await expect(rowOf(page, email)).toContainText('Invited');
  await page.goto('/apps/outbox');
  await page.getByRole('searchbox', { name: 'Search emails' }).fill(email);
  await expect(page.getByRole('note')).toContainText('no mail server is configured');
  const mails = page.getByRole('grid', { name: 'Emails' }).getByRole('row').filter({ hasText: email });
  await mails.first().click();
  await page.keyboard.press('Enter');
  await expect(
    page.getByRole('complementary', { name: /^Email \d+/ }).getByText('Sent: accepted by the mail server.'),
  ).toBeVisible();
});

test('a user crops a picture to a square, and every page shows it', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/dashboard', await ownTokenOf('clientAdmin'));
  await page.getByRole('button', { name: /^User menu/ }).click();
  await page.getByRole('menuitem', { name: 'My Profile' }).click();
  await expect(page.getByRole('heading', { name: 'Ruth Aldana', level: 1 })).toBeVisible();

  const choose = page.getByLabel('Choose a picture', { exact: true }).and(page.locator('input'));
  await choose.setInputFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await expect(page.getByRole('alert').filter({ hasText: 'This isn’t a PNG' })).toBeVisible();
  await choose.setInputFiles({ name: 'wide.png', mimeType: 'image/png', buffer: await pictureOf(page, 1200, 700) });
  const editor = page.getByRole('dialog', { name: 'Crop picture' });
  await editor.getByRole('slider', { name: 'Zoom' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(editor.getByRole('slider', { name: 'Zoom' })).toHaveAttribute('aria-valuetext', '105%');

  await editor.getByRole('button', { name: 'Save picture' }).click();
  await expectToast(page, 'Picture saved');
  await expect(page.getByRole('button', { name: 'Remove picture' })).toBeVisible();
  const shown = page.getByRole('button', { name: /^User menu/ }).locator('img');
  await expect(shown).toBeVisible();
  // Square and downscaled: the original is 700 px high.
  expect(await shown.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])).toEqual([512, 512]);
  await page.getByRole('button', { name: 'Remove picture' }).click();
  await expectToast(page, 'Picture removed');
  await expect(page.getByRole('button', { name: 'Remove picture' })).toHaveCount(0);
});

test('a host cannot create a Host, and assigns a new user to one client', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/users?client=0');
  await expect(page.getByRole('button', { name: 'New user' })).toBeDisabled();
  await page.goto('/apps/profile?client=2');
  await chooseRole(page, 'Host');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText("You don't have permission to make this change.")).toBeVisible();
  // spec §2.5: no client is selected, and the user is another person.
  await page.goto('/apps/profile/2147483646?client=0');
  await expect(page).toHaveURL('/apps/settings?client=0');
});

test('a manager without permission sees the reason in place', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/users');
  await expect(page.getByText('Your role sees its own account only.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'New user' })).toHaveCount(0);
  await page.goto('/apps/audit');
  await expect(page.getByText('Only administrators see the audit log')).toBeVisible();
  await page.goto('/apps/outbox');
  await expect(page.getByText('Only administrators see the outbox')).toBeVisible();
  await page.goto('/apps/profile');
  await expect(page.getByText('Your role can’t create users.')).toBeVisible();
  // A user of another organisation appears as missing.
  const { results } = (await (
    await fetch(`${portal.url}/api/v1/users/2`, { headers: { authorization: `Bearer ${tokenOf('host')}` } })
  ).json()) as { results: { id: number }[] };
  await page.goto(`/apps/profile/${results[0]?.id}`);
  await expect(page.getByText(`User ${results[0]?.id} not found`)).toBeVisible();
});
