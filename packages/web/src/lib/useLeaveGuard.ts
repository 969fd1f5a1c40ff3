/** Confirms leaving a page with unsaved changes, in the portal and by closing the tab. `dialog` fits the kit’s UnsavedDialog. */
import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { session } from './session.ts';

export function useLeaveGuard(isDirty: boolean) {
  const isFree = useRef(false);
  const blocker = useBlocker({
    // After the end of a session nothing can be saved.
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
    /** Ends the guard immediately, after a save. */
    free: () => {
      isFree.current = true;
    },
  };
}
