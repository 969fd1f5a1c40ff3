/** Renders toasts. The component is loaded with the first one; after a failure, again when the connection is back. */
import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react';
import { onToastWaiting, toastsWaiting } from '../lib/toast.ts';

const load = () => import('./Toasts.tsx');
/** Loads the component before the first toast, which may report a lost connection. */
export const prepareToasts = (): void => void load().catch(() => {});
let isNeeded = false;

export function ToastHost() {
  const needed = useSyncExternalStore(onToastWaiting, () => {
    isNeeded ||= toastsWaiting();
    return isNeeded;
  });
  const [Toasts, setToasts] = useState<ComponentType>();
  useEffect(() => {
    if (!needed || Toasts) return;
    const bring = () => {
      load().then(
        (module) => setToasts(() => module.Toasts),
        () => {},
      );
    };
    bring();
    window.addEventListener('online', bring);
    return () => window.removeEventListener('online', bring);
  }, [needed, Toasts]);
  return Toasts ? <Toasts /> : null;
}
