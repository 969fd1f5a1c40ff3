/** What is done with a user beside saving the form. Each failure is told once: here. */
import { type UserDetail, usersApi } from '@parapet/contract/users.ts';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { session } from '../../lib/session.ts';
import { toast } from '../../lib/toast.ts';
import { useUsersChanged } from './users.queries.ts';

export type Action = 'resetMfa' | 'remove' | 'reactivate' | 'invite' | 'removePicture';

export function useUserActions(user: UserDetail) {
  const changed = useUsersChanged();
  const [busy, setBusy] = useState<Action>();
  const params = { id: user.id };

  const run = async (action: Action, work: () => Promise<unknown>, done: string, serverFault?: string) => {
    setBusy(action);
    try {
      await work();
      toast.success(done, 'user');
      await changed();
    } catch (error) {
      toast.error(failureText(error, serverFault), 'user');
    }
    setBusy(undefined);
  };

  return {
    busy,
    resetMfa: () => run('resetMfa', () => call(usersApi.resetMfa, { params }), 'MFA Reset Successfully', 'MFA Reset failed'),
    remove: () => run('remove', () => call(usersApi.remove, { params }), `${user.emailAddress} was deleted`),
    reactivate: () =>
      run('reactivate', () => call(usersApi.reactivate, { params }), `${user.emailAddress} is back; an invitation was sent`),
    invite: () => run('invite', () => call(usersApi.invite, { params }), `The invitation to ${user.emailAddress} was sent again`),
    removePicture: () =>
      run(
        'removePicture',
        async () => {
          await call(usersApi.removePicture, { params });
          showOwn(user.id, { profileURL: '' });
        },
        'The picture was removed',
      ),
  };
}

/** spec §8: 'MFA Reset failed' where the server is at fault; its own words otherwise. */
export function failureText(error: unknown, serverFault?: string): string {
  const status = (error as { status?: unknown } | null)?.status;
  if (serverFault && typeof status === 'number' && status >= 500) return serverFault;
  return error instanceof Error && error.message ? error.message : 'It could not be done. Please try again.';
}

/** What was changed of oneself shows at once everywhere. */
export function showOwn(id: number, patch: { displayName?: string; emailAddress?: string; profileURL?: string }): void {
  const state = session.state();
  if (state.status === 'signedIn' && state.user.id === id) session.updateUser({ ...state.user, ...patch });
}
