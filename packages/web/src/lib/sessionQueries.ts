/**
 * The query client of the session, shared by route loaders and pages. Dropped with its data when the session ends or its user changes, so
 * that none of it is shown to the next user; requests under way are aborted, and late writes reach the dropped client only.
 */
import type { QueryClient } from '@tanstack/react-query';
import { createQueryClient } from './query.ts';
import { type Session, session } from './session.ts';

export function createSessionQueries({ state, subscribe }: Pick<Session, 'state' | 'subscribe'>) {
  let current: { userId: number; client: QueryClient } | undefined;
  const userId = () => {
    const now = state();
    return now.status === 'signedIn' ? now.user.id : undefined;
  };
  subscribe(() => {
    if (!current || current.userId === userId()) return;
    current.client.clear();
    current = undefined;
  });
  /** The client of the signed-in user; undefined for guests. */
  return (): QueryClient | undefined => {
    const id = userId();
    if (id !== undefined) current ??= { userId: id, client: createQueryClient() };
    return current?.client;
  };
}

export const sessionQueries = createSessionQueries(session);
