/** Draws toasts. The part that does it is loaded with the first one. */
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { onToastWaiting, toastsWaiting } from '../lib/toast.ts';

const Toasts = lazy(() => import('./Toasts.tsx').then((module) => ({ default: module.Toasts })));
let isNeeded = false;

export function ToastHost() {
  const needed = useSyncExternalStore(onToastWaiting, () => {
    isNeeded ||= toastsWaiting();
    return isNeeded;
  });
  return needed ? (
    <Suspense>
      <Toasts />
    </Suspense>
  ) : null;
}
