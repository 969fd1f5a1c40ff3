import { expect, test } from 'vitest';
import { createConversationMemory } from './conversations.ts';

function memoryWithRoom(room: number) {
  const kept = new Map<string, string>();
  const memory = createConversationMemory(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      if (value.length > room) throw new DOMException('No room', 'QuotaExceededError');
      kept.set(key, value);
    },
    removeItem: (key) => void kept.delete(key),
  }));
  return { kept, memory };
}

test('stores the first text that fits until it is forgotten', () => {
  const { kept, memory } = memoryWithRoom(5);
  memory.write([() => 'too long', () => 'short', () => 'x']);
  expect(memory.read()).toBe('short');
  memory.forget();
  expect([memory.read(), kept.size]).toEqual([undefined, 0]);
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
