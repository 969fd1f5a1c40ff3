/**
 * Single-key shortcuts, and two-key ones after `g` ("g a"). Inactive while an input is focused, a dialog or menu is open, or a
 * modifier is held: those keys belong to the browser and assistive technology.
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

const leader = 'g';
const secondKeyMs = 1000;
/** When the leader was pressed, and the key after it; by the events' own times, because every listener hears each of them. */
let led = { at: Number.NEGATIVE_INFINITY, second: undefined as number | undefined };

/** "g a" for the key within a second after the leader, which has no meaning alone; else the key. */
export function nameOf({ key, timeStamp }: Pick<KeyboardEvent, 'key' | 'timeStamp'>): string {
  const isSecond = timeStamp > led.at && timeStamp - led.at <= secondKeyMs && (led.second ?? timeStamp) === timeStamp;
  if (isSecond) {
    led.second = timeStamp;
    return `${leader} ${key}`;
  }
  if (key === leader) led = { at: timeStamp, second: undefined };
  return key;
}

export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>, isOn = true) {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      if (!takesKeys(event)) return;
      latest.current[nameOf(event)]?.(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
}
