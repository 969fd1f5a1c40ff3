/** Fixtures of the journeys: the running portal and a page with a signed-in persona. */
import { roleIds } from '@parapet/contract/rules/values.ts';
import { test as base, expect, type Page } from '@playwright/test';
import { send, signIn, signInAs } from './api.ts';
import type { journeyPersonas } from './global.setup.ts';

export { expect };

export type JourneyPersona = (typeof journeyPersonas)[number];

export const portal = {
  get url() {
    return process.env.E2E_URL as string;
  },
  get dataDir() {
    return process.env.E2E_DATA_DIR as string;
  },
};

/** The session that all journeys of a persona share; a journey must not end it. */
export function tokenOf(persona: JourneyPersona): string {
  const token = (JSON.parse(process.env.E2E_TOKENS as string) as Record<string, string>)[persona];
  if (!token) throw new Error(`global.setup.ts signs in no ${persona}.`);
  return token;
}

/** A separate session, which the journey may end. */
export const ownTokenOf = (persona: JourneyPersona) => signIn(portal.url, persona);

export const newUserPassword = 'Quiet-Harbour-47!';
/** Creates Noor Ahlers, an administrator of Alder without MFA. */
export async function newUser(prefix: string): Promise<{ id: number; email: string }> {
  const email = `${prefix}.${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}@alder.example`;
  const response = await send(portal.url, tokenOf('host'), '/user', {
    firstName: 'Noor',
    lastName: 'Ahlers',
    emailAddress: email,
    password: newUserPassword,
    confirmPassword: newUserPassword,
    phoneNumber: '',
    UserRoleID: roleIds.administrator,
    clientOrganizationID: 10,
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  const { id } = (await response.json()) as { id: number };
  return { id, email };
}

/** A session of a new user, for a journey that changes settings, which are stored for a user and would change every page of a persona. */
export async function newUserToken(prefix: string): Promise<string> {
  const { email } = await newUser(prefix);
  return signInAs(portal.url, email, newUserPassword);
}

interface Fixtures {
  /** Console messages of errors that the journey provokes on purpose. */
  provoked: RegExp | undefined;
  /** Opens a path as the persona, in the shared session or the one of the token. */
  asPersona: (persona: JourneyPersona, path?: string, token?: string) => Promise<Page>;
}

export const test = base.extend<Fixtures>({
  provoked: [undefined, { option: true }],
  // An error in any page fails the journey.
  context: async ({ context, provoked }, use) => {
    const faults: string[] = [];
    context.on('weberror', (fault) => faults.push(String(fault.error())));
    context.on('console', (message) => {
      // Journeys check failed requests themselves; page errors and blocked scripts always fail.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
    });
    await use(context);
    expect(faults.filter((fault) => !provoked?.test(fault))).toEqual([]);
  },
  asPersona: async ({ page }, use) => {
    await use(async (persona, path = '/apps/dashboard', token = tokenOf(persona)) => {
      await keepToken(page, token);
      await page.goto(path);
      return page;
    });
  },
});

/** Stores a token before the page’s first load only; later changes by the page persist. */
export async function keepToken(page: Page, token: string): Promise<void> {
  await page.addInitScript((value) => {
    if (sessionStorage.getItem('journey began')) return;
    sessionStorage.setItem('journey began', 'yes');
    localStorage.setItem('jwt_access_token', value);
  }, token);
}

export const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('jwt_access_token'));
