/** A value with subscribers, for state that outlives components. */
import { useSyncExternalStore } from 'react';

export interface Store<T> {
  get: () => T;
  /** Replaces the value and notifies every subscriber. */
  set: (next: T) => void;
  /** Returns the function that ends the subscription. */
  subscribe: (listener: () => void) => () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value in a component, which is drawn again when it changes; `get` selects a part, the same object while that part is unchanged. */
export const useStore = <T>({ subscribe, get }: Pick<Store<T>, 'subscribe' | 'get'>): T => useSyncExternalStore(subscribe, get);
