import type { BulkJob } from '@parapet/contract/bulk.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { expect, test } from 'vitest';
import { followJob } from './useBulk.ts';

const job = (state: BulkJob['state'], changed = 0): BulkJob => ({
  id: 7,
  state,
  total: 10,
  changed,
  skipped: 0,
  faults: [],
  undoUntil: null,
});

function depsWith(answers: (BulkJob | Error)[]) {
  const requests: number[] = [];
  return {
    requests,
    get: async (id: number) => {
      requests.push(id);
      const answer = answers.shift();
      if (!answer || answer instanceof Error) throw answer ?? new Error('asked too often');
      return answer;
    },
    wait: async () => {},
  };
}
const signal = new AbortController().signal;
const busy = () => new Problem('unavailable', 'Busy.');

test('reports every step until the end', async () => {
  const reports: number[] = [];
  const last = await followJob(
    job('waiting'),
    ({ changed }) => reports.push(changed),
    signal,
    depsWith([job('running', 4), job('running', 8), job('done', 10)]),
  );
  expect(reports).toEqual([0, 4, 8, 10]);
  expect(last.state).toBe('done');
});

test.each(['done', 'failed', 'undone'] as const)('polls nothing for a job that is already %s', async (state) => {
  const none = depsWith([]);
  await followJob(job(state), () => {}, signal, none);
  expect(none.requests).toEqual([]);
});

test('retries failed polls a limited number of times', async () => {
  const some = depsWith([busy(), busy(), job('running', 1), busy(), job('done', 10)]);
  expect((await followJob(job('running'), () => {}, signal, some)).changed).toBe(10);
  const all = depsWith(Array.from({ length: 9 }, busy));
  await expect(followJob(job('running'), () => {}, signal, all)).rejects.toThrow('Busy.');
  expect(all.requests).toHaveLength(5);
});

test('stops after the page is left', async () => {
  const left = new AbortController();
  const some = depsWith([]);
  const wait = async () => {
    left.abort();
    throw new DOMException('Left', 'AbortError');
  };
  await expect(followJob(job('running'), () => {}, left.signal, { ...some, wait })).rejects.toThrow('Left');
  expect(some.requests).toEqual([]);
});
