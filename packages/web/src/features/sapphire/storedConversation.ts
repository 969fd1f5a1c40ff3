/** Storage format of a conversation in the tab. Stored data is untrusted and validated on reading. */
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';

/** Question or answer of a conversation (spec §3). */
export interface Entry {
  /** Counts up within the conversation. */
  id: number;
  text: string;
  isUser: boolean;
  /** `csv` undefined: too large to store. */
  userFile: { name: string; csv?: string | undefined } | null;
  answer?: Pick<SapphireAnswer, 'messageID' | 'kind' | 'sources' | 'table' | 'chart' | 'choices' | 'understood' | 'writtenBy'>;
  /** 1: helpful, 0: not helpful. */
  flag?: 0 | 1 | undefined;
  /** True once written feedback was sent. */
  hasSaid?: boolean;
  /** Reason why a question has no answer. */
  fault?: string | undefined;
}

export interface StoredConversation {
  userID: number;
  conversationID: string;
  chatHistory: readonly Entry[];
}

const maxEntries = 100;
const maxFileLength = 200_000;
export const cutOffText = 'The page was reloaded before the answer arrived.';

/** UUID version 4. `crypto.randomUUID` is not available without TLS. */
export function newConversationID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Serialised forms in order of preference, each smaller than the one before. */
export function storedTexts({ userID, conversationID, chatHistory }: StoredConversation): (() => string)[] {
  const text = (entries: readonly Entry[], hasFile: (csv: string) => boolean) => () =>
    JSON.stringify({
      userID,
      conversationID,
      chatHistory: entries.map((entry) =>
        entry.userFile?.csv !== undefined && !hasFile(entry.userFile.csv)
          ? { ...entry, userFile: { name: entry.userFile.name } }
          : entry,
      ),
    });
  return [
    text(chatHistory.slice(-maxEntries), (csv) => csv.length <= maxFileLength),
    text(chatHistory.slice(-maxEntries), () => false),
    text(chatHistory.slice(-10), () => false),
  ];
}

const isEntry = (value: unknown): value is Entry => {
  const entry = (value ?? {}) as Partial<Entry>;
  const { answer, userFile } = entry;
  return (
    typeof entry.id === 'number' &&
    typeof entry.text === 'string' &&
    typeof entry.isUser === 'boolean' &&
    (userFile === null || typeof userFile?.name === 'string') &&
    (answer === undefined ||
      (typeof answer.messageID === 'number' && Array.isArray(answer.sources) && Array.isArray(answer.choices)))
  );
};

export function readStored(text: string | undefined, userID: number): StoredConversation | undefined {
  try {
    const stored = JSON.parse(text ?? '') as Partial<StoredConversation>;
    const { conversationID = '', chatHistory = [] } = stored;
    if (stored.userID !== userID || !/^[0-9a-f-]{36}$/.test(conversationID) || !chatHistory.every(isEntry)) return undefined;
    const last = chatHistory.at(-1);
    // A final question without an answer was interrupted by the reload.
    const isCutOff = last?.isUser && last.fault === undefined;
    return {
      userID,
      conversationID,
      chatHistory: isCutOff ? [...chatHistory.slice(0, -1), { ...last, fault: cutOffText }] : chatHistory,
    };
  } catch {
    return undefined;
  }
}
