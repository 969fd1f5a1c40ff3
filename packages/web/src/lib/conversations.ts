/**
 * Sapphire’s conversation in this tab. It survives a reload and ends with the session, which must be able to forget it before the panel
 * was ever loaded.
 */
import { createTabMemory, type TextStorage } from './tabMemory.ts';

export function createConversationMemory(storage?: () => TextStorage) {
  const { read, write, forget } = createTabMemory('sapphire', storage);
  return {
    read,
    forget,
    /** Stores the first of these texts that fits; none where the browser stores nothing. */
    write(texts: readonly (() => string)[]): void {
      if (!texts.some((text) => write(text()))) forget();
    },
  };
}

export const conversations = createConversationMemory();
