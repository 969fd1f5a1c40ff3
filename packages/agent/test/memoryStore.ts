/** Store of a ledger in memory, whose text a test reads and sets. */
import type { LedgerStore } from '../src/ledger.ts';

export function memoryStore(text = ''): LedgerStore & { text(): string } {
  return {
    read: () => text,
    append: async (line) => {
      text += line;
    },
    replace: async (all) => {
      text = all;
    },
    close: async () => {},
    text: () => text,
  };
}
