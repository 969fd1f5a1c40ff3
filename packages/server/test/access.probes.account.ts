/** Probes of chat accounts and browsers of the caller. */
import type { Probe } from './access.probes.kinds.ts';

let number = 0;

/** Each at an address of its own: one address has one person. */
const aBrowser = () => ({
  endpoint: `https://push.example/${++number}`,
  p256dh: 'BIGX4FrifGHMzD32j9gtv6UwM2tBLJqifjxyVhu4vEjXtHUN3nbgU1gpUSk7yiP78MHJW2BKIOj43Z4Scdc5YIs',
  auth: 'AAAAAAAAAAAAAAAAAAAAAA',
});

export const accountProbes: Record<string, Probe> = {
  'account.chatAccounts': { names: 'self', input: () => ({}) },
  'account.linkChat': { names: 'self', input: () => ({ body: { token: 'unknown' } }) },
  'account.unlinkChat': {
    names: 'self',
    input: async ({ world, person }) => ({ params: { id: await world.newChatAccount(person) } }),
  },
  'account.browsers': { names: 'self', input: () => ({}) },
  'account.addBrowser': { names: 'self', input: () => ({ body: aBrowser() }) },
  'account.removeBrowser': {
    names: 'self',
    input: async ({ world, person }) => ({ params: { id: await world.newBrowser(person) } }),
  },
};
