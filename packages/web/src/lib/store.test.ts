import { describe, expect, test, vi } from 'vitest';
import { createStore } from './store.ts';

describe('createStore', () => {
  test('returns the value set last and notifies subscribers', () => {
    const store = createStore(1);
    const listener = vi.fn();
    const unsubscribe = store.subscribe(listener);
    store.set(2);
    expect(store.get()).toBe(2);
    expect(listener).toHaveBeenCalledTimes(1);
    unsubscribe();
    store.set(3);
    expect(listener).toHaveBeenCalledTimes(1);
  });
});
