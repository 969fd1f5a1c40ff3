import { expect, test } from 'vitest';
import { createConversationMemory } from './conversations.ts';

function memoryWithRoom(room: number) {
  const stored = new Map<string, string>();
  const memory = createConversationMemory(() => ({
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => {
      if (value.length > room) throw new DOMException('No room', 'QuotaExceededError');
      stored.set(key, value);
    },
    removeItem: (key) => void stored.delete(key),
  }));
  return { stored, memory };
}

test('stores the first text that fits until it is forgotten', () => {
  const { stored, memory } = memoryWithRoom(5);
  memory.write([() => 'too long', () => 'short', () => 'x']);
  expect(memory.read()).toBe('short');
  memory.forget();
  expect([memory.read(), stored.size]).toEqual([undefined, 0]);
});

test('removes the old text when no text fits', () => {
  const { memory } = memoryWithRoom(5);
  memory.write([() => 'old']);
  memory.write([() => 'too long']);
  expect(memory.read()).toBeUndefined();
});

test('works without storage', () => {
  const memory = createConversationMemory(() => {
    throw new DOMException('Refused', 'SecurityError');
  });
  memory.write([() => 'x']);
  memory.forget();
  expect(memory.read()).toBeUndefined();
});
