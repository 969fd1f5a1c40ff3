import type { SessionUser } from '@parapet/contract/auth.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import type { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { queryOptionsOf } from './query.ts';
import type { SessionState } from './session.ts';
import { createSessionQueries } from './sessionQueries.ts';
import { createStore } from './store.ts';

const userOf = (id: number, displayName = '') => ({ id, displayName }) as SessionUser;
const signedIn = (id: number, name?: string): SessionState => ({ status: 'signedIn', user: userOf(id, name) });
const { queryKey } = queryOptionsOf(tagsApi.list, { query: { selectedClientOrgID: 10 } });
const answer = { results: [], total: 0 };

function sessionOf(first: SessionState) {
  const { get, set, subscribe } = createStore<SessionState>(first);
  const queries = createSessionQueries({ state: get, subscribe });
  return { become: set, queries: () => queries() as QueryClient };
}

test('keeps answers while the same user stays signed in', () => {
  const { become, queries } = sessionOf(signedIn(1));
  const first = queries();
  first.setQueryData(queryKey, answer);
  become(signedIn(1, 'Renamed'));
  expect(queries()).toBe(first);
  expect(queries().getQueryData(queryKey)).toEqual(answer);
});

test.each<[string, SessionState[]]>([
  ['another user signs in', [signedIn(2)]],
  ['the same user signs in again', [{ status: 'guest' }, signedIn(1)]],
  ['another user signs in after a sign-out', [{ status: 'guest' }, signedIn(2)]],
  ['another tab changes the token', [{ status: 'checking' }, signedIn(2)]],
])('drops all answers when %s', (_, states) => {
  const { become, queries } = sessionOf(signedIn(1));
  const first = queries();
  first.setQueryData(queryKey, answer);
  for (const state of states) become(state);
  expect(queries()).not.toBe(first);
  expect(queries().getQueryData(queryKey)).toBeUndefined();
  expect(first.getQueryData(queryKey)).toBeUndefined();
});

test('aborts requests under way and keeps their answers from the next user', async () => {
  const { become, queries } = sessionOf(signedIn(1));
  const first = queries();
  const { promise, resolve } = Promise.withResolvers<typeof answer>();
  let signal: AbortSignal | undefined;
  const prefetch = first.prefetchQuery({
    queryKey,
    queryFn: (context) => {
      signal = context.signal;
      return promise;
    },
  });
  become(signedIn(2));
  expect(signal?.aborted).toBe(true);
  resolve(answer);
  await prefetch;
  // A write of the first user that ends late.
  first.setQueryData(queryKey, answer);
  expect(queries().getQueryData(queryKey)).toBeUndefined();
});

test('gives guests no client', () => {
  const { become, queries } = sessionOf({ status: 'guest' });
  expect(queries()).toBeUndefined();
  become(signedIn(1));
  queries();
  become({ status: 'guest' });
  expect(queries()).toBeUndefined();
});
