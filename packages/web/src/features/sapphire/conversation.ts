/**
 * Conversation of one user (spec §3, §4), independent of React, so that replies arrive while the panel is closed. It uses `call` instead of
 * `useApiMutation` for that reason. Ends with the session.
 */
import { suggestedDelayMs } from '@parapet/contract/rules/sapphire.ts';
import { type SapphireAnswer, sapphireApi } from '@parapet/contract/sapphire.ts';
import { type Call, isAbort } from '../../lib/call.ts';
import { createStore } from '../../lib/store.ts';
import { type Entry, newConversationID, readStored, storedTexts } from './storedConversation.ts';

/** Page context of a question: default subject of the answer. */
export interface Shown {
  client: number;
  timeZone?: string | undefined;
}

export interface ChatState {
  conversationID: string;
  chatHistory: readonly Entry[];
  /** Message id of the latest answer. */
  currentMessageID: number | undefined;
  loadingPhrases: readonly string[];
  /** From sending until the reply arrives. */
  responseLoading: boolean;
  /** True while a suggested question is in the history but not sent yet. */
  isQueued: boolean;
  isTeacher: boolean;
}

interface Deps {
  userID: number;
  call: Call;
  memory: { read: () => string | undefined; write: (texts: readonly (() => string)[]) => void };
  setTimer: (work: () => void, ms: number) => () => void;
  /** Minutes west of UTC, like `Date.getTimezoneOffset`. */
  timezoneOffset: () => number;
}

export type Conversation = ReturnType<typeof createConversation>;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'Couldn’t send the question.');

/** State of the conversation; every change of its history is written to the memory. */
function createHistory(memory: Deps['memory'], userID: number) {
  const stored = readStored(memory.read(), userID);
  const store = createStore<ChatState>({
    conversationID: stored?.conversationID ?? newConversationID(),
    chatHistory: stored?.chatHistory ?? [],
    currentMessageID: stored?.chatHistory.findLast(({ answer }) => answer)?.answer?.messageID,
    loadingPhrases: [],
    responseLoading: false,
    isQueued: false,
    isTeacher: false,
  });
  const { get: state, subscribe } = store;
  let isEnded = false;

  const become = (patch: Partial<ChatState>) => {
    if (isEnded) return;
    const next = { ...state(), ...patch };
    if (patch.chatHistory || patch.conversationID) {
      memory.write(storedTexts({ userID, conversationID: next.conversationID, chatHistory: next.chatHistory }));
    }
    store.set(next);
  };
  const add = (entry: Omit<Entry, 'id'>): number => {
    const id = (state().chatHistory.at(-1)?.id ?? 0) + 1;
    become({ chatHistory: [...state().chatHistory, { id, ...entry }] });
    return id;
  };
  const change = (id: number, patch: Partial<Entry>) =>
    become({ chatHistory: state().chatHistory.map((entry) => (entry.id === id ? { ...entry, ...patch } : entry)) });
  const end = () => {
    isEnded = true;
  };
  return { state, subscribe, become, add, change, end };
}

/** Loads phrases and permissions once. The panel works without them; failures are retried on the next call. */
function createPreparation(call: Call, become: (patch: Partial<ChatState>) => void) {
  let isPrepared = false;
  return async (): Promise<void> => {
    if (isPrepared) return;
    isPrepared = true;
    const missed = () => {
      isPrepared = false;
    };
    await Promise.all([
      // spec §7.7: single quotes are stripped.
      call(sapphireApi.loadingPhrases, {}).then(
        (phrases) => become({ loadingPhrases: phrases.map((phrase) => phrase.replaceAll("'", '')).filter(Boolean) }),
        missed,
      ),
      call(sapphireApi.may, {}).then(({ isTeacher }) => become({ isTeacher }), missed),
    ]);
  };
}

/** Returns a test for whether the conversation is still the same. */
type Snapshot = () => () => boolean;

/** The user’s flags, feedback and knowledge. */
function createReactions(
  call: Call,
  userID: number,
  { state, change }: Pick<ReturnType<typeof createHistory>, 'state' | 'change'>,
  snapshot: Snapshot,
) {
  return {
    /** @throws when the flag can’t be saved; the change is rolled back. */
    async flag({ id, answer, flag: before }: Entry, flag: 0 | 1): Promise<void> {
      if (!answer || flag === before) return;
      const isCurrent = snapshot();
      change(id, { flag });
      try {
        const conversationUUID = state().conversationID;
        await call(sapphireApi.flag, { body: { messageID: answer.messageID, conversationUUID, flag, userID } });
      } catch (error) {
        if (isCurrent()) change(id, { flag: before });
        throw error;
      }
    },

    /** @throws when the feedback can’t be sent. */
    async feedback({ id, answer, flag = 0 }: Entry, text: string): Promise<void> {
      if (!answer) return;
      const isCurrent = snapshot();
      const conversationUUID = state().conversationID;
      await call(sapphireApi.feedback, { body: { messageID: answer.messageID, conversationUUID, flag, userID, text } });
      if (isCurrent()) change(id, { hasSaid: true });
    },

    /** Resolves to true when the knowledge was stored (spec §7.7: truthy data means success). */
    teach: async (clientKnowledge: string): Promise<boolean> => {
      try {
        return Boolean((await call(sapphireApi.insertKnowledge, { body: { clientKnowledge, userID } })).data);
      } catch {
        return false;
      }
    },
  };
}

export function createConversation({ userID, call, memory, setTimer, timezoneOffset }: Deps) {
  const history = createHistory(memory, userID);
  const { state, subscribe, become, add, change } = history;
  /** Incremented by every reset, so that late replies are dropped. */
  let turn = 0;
  const snapshot: Snapshot = () => {
    const mine = turn;
    return () => mine === turn;
  };
  let running: AbortController | undefined;
  let stopTimer = () => {};

  const isBusy = () => state().responseLoading || state().isQueued;

  const query = async (id: number, clientRequest: string, shown: Shown): Promise<void> => {
    const isCurrent = snapshot();
    running = new AbortController();
    change(id, { fault: undefined });
    become({ responseLoading: true, isQueued: false });
    try {
      const answer = await call(
        sapphireApi.chat,
        {
          body: {
            clientRequest,
            conversationUUID: state().conversationID,
            userID,
            userUtcOffset: -timezoneOffset(),
            clientOrganizationID: shown.client,
            timeZone: shown.timeZone,
          },
        },
        { signal: running.signal },
      );
      if (!isCurrent()) return;
      become({ currentMessageID: answer.messageID });
      add(entryOf(answer));
    } catch (error) {
      if (!isCurrent() || isAbort(error)) return;
      change(id, { fault: messageOf(error) });
    }
    become({ responseLoading: false });
  };

  const stop = () => {
    turn++;
    stopTimer();
    running?.abort();
  };

  return {
    state,
    subscribe,

    prepare: createPreparation(call, become),
    async ask(text: string, shown: Shown): Promise<void> {
      const question = text.trim();
      if (question === '' || isBusy()) return;
      await query(add({ text: question, isUser: true, userFile: null }), question, shown);
    },

    /** Adds the question to the history immediately and sends it after 5 seconds (spec §4). */
    suggest(text: string, shown: Shown): void {
      if (isBusy()) return;
      const id = add({ text, isUser: true, userFile: null });
      become({ isQueued: true });
      stopTimer = setTimer(() => void query(id, text, shown), suggestedDelayMs);
    },

    async again(entry: Entry, shown: Shown): Promise<void> {
      if (!isBusy()) await query(entry.id, entry.text, shown);
    },

    /** Clears history and conversation (spec §4). */
    clear(): void {
      stop();
      become({
        conversationID: newConversationID(),
        chatHistory: [],
        currentMessageID: undefined,
        responseLoading: false,
        isQueued: false,
      });
    },

    ...createReactions(call, userID, history, snapshot),

    /** Stops all activity at the end of the session. */
    end(): void {
      stop();
      history.end();
    },
  };
}

const entryOf = (answer: SapphireAnswer): Omit<Entry, 'id'> => {
  const { sapphireEndpointResponse: text, userDataFile: userFile, messageID, kind, sources, table, choices, ...rest } = answer;
  return { text, isUser: false, userFile, answer: { messageID, kind, sources, table, choices, ...rest } };
};
