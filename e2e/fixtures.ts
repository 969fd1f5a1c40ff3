/** What journeys start from: the running portal, and a page on which a persona is signed in. */
import { personaPassword } from '@parapet/world/personas.ts';
import { test as base, expect, type Page } from '@playwright/test';
import { send, signIn } from './api.ts';
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

/** The session that all journeys of a persona share: none of them may end it. */
export function tokenOf(persona: JourneyPersona): string {
  const token = (JSON.parse(process.env.E2E_TOKENS as string) as Record<string, string>)[persona];
  if (!token) throw new Error(`global.setup.ts signs in no ${persona}.`);
  return token;
}

let provenAt = Number(process.env.E2E_TOKENS_AT);
/** A journey may begin long after these sessions did: what needs a recent sign-in stays open to them. */
async function keepRecent(): Promise<void> {
  if (Date.now() - provenAt < 4 * 60_000) return;
  const tokens = JSON.parse(process.env.E2E_TOKENS as string) as Record<string, string>;
  for (const [persona, token] of Object.entries(tokens)) {
    const answer = await send(portal.url, token, '/auth/step-up', { password: personaPassword });
    if (!answer.ok) throw new Error(`${persona} could not confirm who they are: ${answer.status} ${await answer.text()}`);
  }
  provenAt = Date.now();
}

/** A session that the journey may end. */
export const ownTokenOf = (persona: JourneyPersona) => signIn(portal.url, persona);

interface Fixtures {
  /** Faults that a journey provokes: their messages in the console. */
  provoked: RegExp | undefined;
  /** Opens a page as that persona, at a path; with a token, in that session. */
  asPersona: (persona: JourneyPersona, path?: string, token?: string) => Promise<Page>;
}

export const test = base.extend<Fixtures>({
  provoked: [undefined, { option: true }],
  // A fault in any page of a journey fails it.
  context: async ({ context, provoked }, use) => {
    await keepRecent();
    const faults: string[] = [];
    context.on('weberror', (fault) => faults.push(String(fault.error())));
    context.on('console', (message) => {
      // A refused call is the journey's own business; a broken page or a refused script is not.
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

/** Stores a token before the page's first load; what the page does to it afterwards stands. */
export async function keepToken(page: Page, token: string): Promise<void> {
  await page.addInitScript((value) => {
    if (sessionStorage.getItem('journey began')) return;
    sessionStorage.setItem('journey began', 'yes');
    localStorage.setItem('jwt_access_token', value);
  }, token);
}

export const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('jwt_access_token'));
