/**
 * Single-key shortcuts. They rest while somebody types, while a dialog or menu is open, and when a modifier is held: those belong
 * to the browser and to assistive technology.
 */
import { useEffect, useRef } from 'react';

const editable =
  'input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable=""], [contenteditable=true]';

export function takesKeys(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  const target = event.target;
  if (!(target instanceof Element)) return true;
  if (target.closest(editable)) return false;
  return (
    !target.closest('[role=dialog][aria-modal=true], [role=menu], [role=listbox]') &&
    !document.querySelector('[role=dialog][aria-modal=true]')
  );
}

export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>, isOn = true) {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const action = latest.current[event.key];
      if (action && takesKeys(event)) action(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
}
