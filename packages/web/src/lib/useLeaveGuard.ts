/** Asks before a page with unsaved changes is left, in the portal and by closing the tab. `dialog` fits kit's UnsavedDialog. */
import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { session } from './session.ts';

export function useLeaveGuard(isDirty: boolean) {
  const isFree = useRef(false);
  const blocker = useBlocker({
    // Whose session has ended has nothing to save here any more.
    shouldBlockFn: ({ current, next }) =>
      !isFree.current && session.state().status === 'signedIn' && current.pathname !== next.pathname,
    disabled: !isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return {
    dialog: {
      isOpen: blocker.status === 'blocked',
      onNo: () => blocker.reset?.(),
      onYes: () => blocker.proceed?.(),
    },
    /** What was typed is saved: the way on is free at once. */
    free: () => {
      isFree.current = true;
    },
  };
}
