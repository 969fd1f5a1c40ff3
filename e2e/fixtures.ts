/** What journeys start from: the running portal, and a page on which a persona is signed in. */
import { personaOf, personaPassword } from '@parapet/world/personas.ts';
import { test as base, expect, type Page } from '@playwright/test';

export { expect };

export const portal = {
  get url() {
    return process.env.E2E_URL as string;
  },
  get dataDir() {
    return process.env.E2E_DATA_DIR as string;
  },
};

interface Fixtures {
  /** Opens a page as that persona, at a path. Faults in the page's console fail the journey. */
  asPersona: (persona: string, path?: string) => Promise<Page>;
}

const tokens = new Map<string, { token: string; until: number }>();

/** Signs in through the API; remembered, since a host may try only so often a minute. */
export async function tokenOf(persona: string): Promise<string> {
  const known = tokens.get(persona);
  if (known && known.until > Date.now()) return known.token;
  const answer = await fetch(`${portal.url}/api/v1/auth/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: personaOf(persona).email, password: personaPassword }),
  });
  if (!answer.ok) throw new Error(`${persona} could not sign in: ${answer.status} ${await answer.text()}`);
  const { user } = (await answer.json()) as { user: { accessToken: string } };
  tokens.set(persona, { token: user.accessToken, until: Date.now() + 30 * 60_000 });
  return user.accessToken;
}

export const test = base.extend<Fixtures>({
  baseURL: async ({}, use) => {
    await use(portal.url);
  },
  page: async ({ page }, use) => {
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      // A refused call is the journey's own business; a broken page or a refused script is not.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
    });
    await use(page);
    expect(faults).toEqual([]);
  },
  asPersona: async ({ page }, use) => {
    await use(async (persona, path = '/apps/dashboard') => {
      const token = await tokenOf(persona);
      await page.addInitScript((value) => {
        if (!sessionStorage.getItem('journey began')) {
          sessionStorage.setItem('journey began', 'yes');
          localStorage.setItem('jwt_access_token', value);
        }
      }, token);
      await page.goto(path);
      return page;
    });
  },
});
