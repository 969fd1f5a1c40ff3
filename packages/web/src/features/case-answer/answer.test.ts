import { emailActionTexts } from '@parapet/contract/caseMails.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { expect, test, vi } from 'vitest';
import { type Call, unreachable } from '../../lib/call.ts';
import { createAnswer, pauseMs, texts } from './answer.ts';

const link = { caseId: '7', action: 'benign', token: 'T'.repeat(43) };

function setUp({
  needsPress = false as boolean | Error,
  answer = { message: '', exception: null } as object | Error,
  from = link,
} = {}) {
  const sent: { id: string; input: unknown }[] = [];
  let timer: { work: () => void; ms: number } | undefined;
  const call = (async (endpoint: { id: string }, input: unknown) => {
    sent.push({ id: endpoint.id, input });
    const result =
      endpoint.id === 'caseMails.answerNeedsPress' ? (needsPress instanceof Error ? needsPress : { needsPress }) : answer;
    if (result instanceof Error) throw result;
    return result;
  }) as unknown as Call;
  const flow = createAnswer(from, {
    call,
    setTimer: (work, ms) => {
      timer = { work, ms };
      return () => {
        timer = undefined;
      };
    },
  });
  const updates = () => sent.filter(({ id }) => id === 'caseMails.answerByLink');
  return { flow, updates, sent, timer: () => timer };
}

test('repeats the contract’s texts', () => {
  expect(texts).toEqual(emailActionTexts);
});

test.each([[{ ...link, caseId: '' }], [{ ...link, action: '' }], [{ ...link, token: '' }]])(
  'sends nothing with an incomplete link: %j',
  async (from) => {
    const { flow, sent } = setUp({ from });
    await flow.start();
    expect(flow.state()).toEqual({ step: 'missing' });
    expect(sent).toEqual([]);
  },
);

test('updates the case once, automatically, after three seconds', async () => {
  const { flow, updates, timer } = setUp();
  const listener = vi.fn();
  flow.subscribe(listener);
  await Promise.all([flow.start(), flow.start()]);
  expect(flow.state()).toEqual({ step: 'counting' });
  expect(timer()?.ms).toBe(pauseMs);
  expect(updates()).toEqual([]);
  timer()?.work();
  await flow.send();
  await vi.waitFor(() => expect(flow.state()).toEqual({ step: 'done' }));
  expect(updates()).toHaveLength(1);
  expect(updates()[0]?.input).toEqual({ query: { caseID: '7', action: 'benign' }, body: link });
  await flow.send();
  expect(updates()).toHaveLength(1);
  expect(listener).toHaveBeenCalled();
});

test('waits for a press after cancelling', async () => {
  const { flow, updates, timer } = setUp();
  await flow.start();
  flow.cancel();
  expect(timer()).toBeUndefined();
  expect(flow.state()).toEqual({ step: 'waiting' });
  expect(updates()).toEqual([]);
  await flow.send();
  expect(flow.state()).toEqual({ step: 'done' });
});

test.each([[true], [new Problem('unavailable', unreachable)]])(
  'sends nothing automatically when a press is required or unknown (%s)',
  async (needsPress) => {
    const { flow, updates, timer } = setUp({ needsPress });
    await flow.start();
    expect(flow.state()).toEqual({ step: 'waiting' });
    expect(timer()).toBeUndefined();
    expect(updates()).toEqual([]);
  },
);

const exceptionWith = (Message: string) => ({ message: '', exception: { Message } });
test.each([
  [exceptionWith('Only one response is accepted'), { step: 'refused', text: 'Only one response is accepted' }],
  [exceptionWith('Bad request'), { step: 'refused', text: 'Bad request' }],
  [exceptionWith(''), { step: 'refused', text: 'Bad request' }],
  [
    new Problem('unexpected', 'The portal failed.'),
    { step: 'failed', text: 'An error occurred while updating the case.', detail: 'The portal failed.' },
  ],
  [new Problem('unavailable', unreachable), { step: 'failed', text: unreachable }],
  [new Error(''), { step: 'failed', text: 'An unexpected error occurred.' }],
])('outcome %#', async (answer, state) => {
  const { flow } = setUp({ answer });
  await flow.start();
  await flow.send();
  expect(flow.state()).toEqual(state);
});

test('retries after a failure', async () => {
  const { flow, updates } = setUp({ answer: new Problem('unavailable', 'Busy.') });
  await flow.start();
  await flow.send();
  await flow.send();
  expect(updates()).toHaveLength(2);
});
