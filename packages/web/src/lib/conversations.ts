/**
 * The conversation with the assistant as this tab keeps it: it survives a reload and goes with the session. It stands in lib because the
 * session must be able to forget it before the panel was ever loaded.
 */
const key = 'sapphire';

interface Memory {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

export function createConversationMemory(memory: () => Memory) {
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  return {
    read: (): string | undefined => attempt(() => memory().getItem(key)) ?? undefined,
    /** The first of these texts that there is room for; none where the browser keeps nothing. */
    write(texts: readonly (() => string)[]): void {
      for (const text of texts) {
        const isKept = attempt(() => {
          memory().setItem(key, text());
          return true;
        });
        if (isKept) return;
      }
      attempt(() => memory().removeItem(key));
    },
    forget: () => void attempt(() => memory().removeItem(key)),
  };
}

export const conversations = createConversationMemory(() => sessionStorage);
