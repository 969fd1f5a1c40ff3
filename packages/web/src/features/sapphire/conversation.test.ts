import { Problem } from '@parapet/contract/problem.ts';
import { suggestedDelayMs, suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Call } from '../../lib/call.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { cutOffText, newConversationID, readStored, storedTexts } from './storedConversation.ts';

let stored: string | undefined;
let timer: { work: () => void; ms: number } | undefined;
const call = vi.fn();
const shown = { client: 12, timeZone: 'Europe/Berlin' };

const answerOf = (messageID: number, more: Partial<SapphireAnswer> = {}): SapphireAnswer => ({
  sapphireEndpointResponse: `Answer ${messageID}`,
  userDataFile: null,
  messageID,
  kind: 'answer',
  sources: [],
  table: null,
  choices: [],
  understood: '',
  chart: null,
  writtenBy: 'portal',
  ...more,
});

const open = (userID = 7): Conversation =>
  createConversation({
    userID,
    call: call as unknown as Call,
    memory: {
      read: () => stored,
      write: ([text]) => {
        stored = text?.();
      },
    },
    setTimer: (work, ms) => {
      timer = { work, ms };
      return () => {
        timer = undefined;
      };
    },
    timezoneOffset: () => -120,
  });
const textsOf = (conversation: Conversation) => conversation.state().chatHistory.map(({ text, isUser }) => [text, isUser]);
/** A pending call that the test resolves. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<SapphireAnswer>();
  call.mockReturnValueOnce(promise);
  return { resolve, reject };
}

beforeEach(() => {
  stored = undefined;
  timer = undefined;
  call.mockReset();
});

test('adds the question when it is sent and the reply when it arrives', async () => {
  const conversation = open();
  const reply = held();
  const pending = conversation.ask('  How many?  ', shown);
  expect(textsOf(conversation)).toEqual([['How many?', true]]);
  expect(conversation.state().responseLoading).toBe(true);
  expect(call.mock.calls[0]?.[1]).toEqual({
    body: {
      clientRequest: 'How many?',
      conversationUUID: conversation.state().conversationID,
      userID: 7,
      // Minutes east of UTC, the opposite sign of JavaScript’s.
      userUtcOffset: 120,
      clientOrganizationID: 12,
      timeZone: 'Europe/Berlin',
    },
  });
  reply.resolve(answerOf(5, { userDataFile: { name: 'a.csv', csv: 'x' } }));
  await pending;
  expect(textsOf(conversation)).toEqual([
    ['How many?', true],
    ['Answer 5', false],
  ]);
  expect(conversation.state()).toMatchObject({ responseLoading: false, currentMessageID: 5 });
  expect(conversation.state().chatHistory[1]?.userFile).toEqual({ name: 'a.csv', csv: 'x' });
});

test('sends a suggested question after five seconds and blocks others until then', async () => {
  const conversation = open();
  conversation.suggest(suggestedQuestions[0], shown);
  expect(textsOf(conversation)).toEqual([[suggestedQuestions[0], true]]);
  expect(conversation.state()).toMatchObject({ isQueued: true, responseLoading: false });
  expect([timer?.ms, suggestedDelayMs]).toEqual([5000, 5000]);
  conversation.suggest(suggestedQuestions[1], shown);
  await conversation.ask('Something else', shown);
  expect(call).not.toHaveBeenCalled();
  expect(textsOf(conversation)).toHaveLength(1);
  const reply = held();
  timer?.work();
  expect(conversation.state()).toMatchObject({ isQueued: false, responseLoading: true });
  expect(call.mock.calls[0]?.[1].body.clientRequest).toBe(suggestedQuestions[0]);
  reply.resolve(answerOf(1));
});

test('clears history and conversation and drops pending answers on reset', async () => {
  const conversation = open();
  const before = conversation.state().conversationID;
  const reply = held();
  const pending = conversation.ask('First', shown);
  const signal = call.mock.calls[0]?.[2].signal as AbortSignal;
  conversation.clear();
  expect(signal.aborted).toBe(true);
  reply.resolve(answerOf(1));
  await pending;
  expect(conversation.state()).toMatchObject({ chatHistory: [], responseLoading: false, currentMessageID: undefined });
  expect(conversation.state().conversationID).not.toBe(before);

  conversation.suggest(suggestedQuestions[2], shown);
  conversation.clear();
  expect(timer).toBeUndefined();
  expect(conversation.state()).toMatchObject({ chatHistory: [], isQueued: false });
});

test('keeps waiting for a newer question when a late reply arrives', async () => {
  const conversation = open();
  const old = held();
  const first = conversation.ask('Old', shown);
  conversation.clear();
  const next = held();
  const second = conversation.ask('New', shown);
  old.reject(new DOMException('Aborted', 'AbortError'));
  await first;
  expect(conversation.state().responseLoading).toBe(true);
  next.resolve(answerOf(2));
  await second;
  expect(textsOf(conversation)).toEqual([
    ['New', true],
    ['Answer 2', false],
  ]);
});

test('shows a failure at its question and retries it', async () => {
  const conversation = open();
  call.mockRejectedValueOnce(new Problem('tooManyRequests', 'Too many requests. Please try again in 12 s.'));
  await conversation.ask('How many?', shown);
  const [question] = conversation.state().chatHistory;
  expect(question?.fault).toBe('Too many requests. Please try again in 12 s.');
  expect(conversation.state().responseLoading).toBe(false);
  call.mockResolvedValueOnce(answerOf(3));
  await conversation.again(question!, { client: 0 });
  expect(conversation.state().chatHistory[0]?.fault).toBeUndefined();
  expect(textsOf(conversation)).toEqual([
    ['How many?', true],
    ['Answer 3', false],
  ]);
  expect(call.mock.calls[1]?.[1].body).toMatchObject({ clientRequest: 'How many?', clientOrganizationID: 0 });
});

test('sends flags with message and conversation and rolls back failures', async () => {
  const conversation = open();
  call.mockResolvedValue(answerOf(9));
  await conversation.ask('x', shown);
  const answer = () => conversation.state().chatHistory[1]!;
  const conversationUUID = conversation.state().conversationID;
  call.mockClear();
  await conversation.flag(answer(), 1);
  expect(answer().flag).toBe(1);
  await conversation.flag(answer(), 1);
  await conversation.flag(answer(), 0);
  await conversation.feedback(answer(), 'It was last week.');
  expect(call.mock.calls.map(([{ id }, { body }]) => [id, body])).toEqual([
    ['sapphire.flag', { messageID: 9, conversationUUID, flag: 1, userID: 7 }],
    ['sapphire.flag', { messageID: 9, conversationUUID, flag: 0, userID: 7 }],
    ['sapphire.feedback', { messageID: 9, conversationUUID, flag: 0, userID: 7, text: 'It was last week.' }],
  ]);
  expect(answer().hasSaid).toBe(true);
  call.mockRejectedValueOnce(new Error('away'));
  await expect(conversation.flag(answer(), 1)).rejects.toThrow('away');
  expect(answer().flag).toBe(0);
});

test('loads phrases once without single quotes and retries failures', async () => {
  const conversation = open();
  call.mockImplementation(async ({ id }) => (id === 'sapphire.may' ? { isTeacher: true } : ["'Looking'", "Let's see"]));
  await conversation.prepare();
  await conversation.prepare();
  expect(call).toHaveBeenCalledTimes(2);
  expect(conversation.state()).toMatchObject({ loadingPhrases: ['Looking', 'Lets see'], isTeacher: true });

  const other = open();
  call.mockReset().mockRejectedValue(new Error('away'));
  await other.prepare();
  await other.prepare();
  expect(call).toHaveBeenCalledTimes(4);
  expect(other.state()).toMatchObject({ loadingPhrases: [], isTeacher: false });
});

test('sends knowledge unchanged and reads truthy data as stored', async () => {
  const conversation = open();
  call.mockResolvedValueOnce({ data: true }).mockResolvedValueOnce({ data: false }).mockRejectedValueOnce(new Error('x'));
  expect([await conversation.teach(' a '), await conversation.teach(''), await conversation.teach('c')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(call.mock.calls[0]?.[1]).toEqual({ body: { clientKnowledge: ' a ', userID: 7 } });
});

test('restores the history after a reload for the same user and marks interrupted questions', async () => {
  const conversation = open();
  call.mockResolvedValueOnce(answerOf(4, { kind: 'unknown' }));
  await conversation.ask('First', shown);
  held();
  void conversation.ask('Second', shown);
  const again = open();
  expect(again.state()).toMatchObject({ conversationID: conversation.state().conversationID, currentMessageID: 4 });
  expect(again.state().chatHistory.map(({ text, fault }) => [text, fault])).toEqual([
    ['First', undefined],
    ['Answer 4', undefined],
    ['Second', cutOffText],
  ]);
  expect(open(8).state().chatHistory).toEqual([]);
});

test('stores and adds nothing after the session', async () => {
  const conversation = open();
  const reply = held();
  const pending = conversation.ask('Secret', shown);
  conversation.end();
  stored = undefined;
  reply.resolve(answerOf(1));
  await pending;
  expect(stored).toBeUndefined();
  expect(conversation.state().chatHistory).toHaveLength(1);
});

test('drops files and older entries when storage is full', () => {
  const entry = (id: number, csv: string) => ({ id, text: 't', isUser: false, userFile: { name: 'f', csv } });
  const chatHistory = [entry(1, 'x'.repeat(300_000)), ...Array.from({ length: 120 }, (_, at) => entry(at + 2, 'small'))];
  const [whole, bare, last] = storedTexts({ userID: 1, conversationID: newConversationID(), chatHistory }).map((text) => text());
  expect(readStored(whole, 1)?.chatHistory).toHaveLength(100);
  expect(whole).toContain('small');
  expect(bare).not.toContain('small');
  expect(readStored(last, 1)?.chatHistory.map(({ id }) => id)).toEqual([112, 113, 114, 115, 116, 117, 118, 119, 120, 121]);
  const [large] = storedTexts({ userID: 1, conversationID: newConversationID(), chatHistory: chatHistory.slice(0, 1) });
  expect(large?.()).not.toContain('xxx');
});

test.each([
  ['', 'null', '{}', '[]', '{"userID":1}', '{"userID":1,"conversationID":"x","chatHistory":[]}'],
  [JSON.stringify({ userID: 1, conversationID: newConversationID(), chatHistory: [{ id: 1, text: {}, isUser: true }] })],
  [JSON.stringify({ userID: 1, conversationID: newConversationID(), chatHistory: 'abc' })],
])('ignores invalid stored conversations', (...texts) => {
  for (const text of texts) expect(readStored(text, 1)).toBeUndefined();
});

test('generates unique version 4 UUIDs', () => {
  const ids = Array.from({ length: 50 }, newConversationID);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(50);
});
