/** A conversation as the tab keeps it. What is read back may have been made by anything: only what makes sense is taken. */
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';

/** One thing that was said (spec §3). */
export interface Entry {
  /** Counts up within the conversation. */
  id: number;
  text: string;
  isUser: boolean;
  /** `csv` undefined: there was no room to keep it. */
  userFile: { name: string; csv?: string | undefined } | null;
  answer?: Pick<SapphireAnswer, 'messageID' | 'kind' | 'sources' | 'table' | 'choices' | 'understood' | 'writtenBy'>;
  /** What the reader thought of it. */
  flag?: 0 | 1 | undefined;
  /** And said in words. */
  hasSaid?: boolean;
  /** Of a question: why there is no answer. */
  fault?: string | undefined;
}

export interface Kept {
  userID: number;
  conversationID: string;
  chatHistory: readonly Entry[];
}

const maxEntries = 100;
const largestFile = 200_000;
export const cutOffText = 'The page was loaded anew before the answer came.';

/** By the generator that also pages without TLS have. */
export function newConversationID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** From the whole to what there may still be room for. */
export function keptTexts({ userID, conversationID, chatHistory }: Kept): (() => string)[] {
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
    text(chatHistory.slice(-maxEntries), (csv) => csv.length <= largestFile),
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

export function readKept(text: string | undefined, userID: number): Kept | undefined {
  try {
    const kept = JSON.parse(text ?? '') as Partial<Kept>;
    const { conversationID = '', chatHistory = [] } = kept;
    if (kept.userID !== userID || !/^[0-9a-f-]{36}$/.test(conversationID) || !chatHistory.every(isEntry)) return undefined;
    const last = chatHistory.at(-1);
    // A question at the end was on its way when the page went.
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
