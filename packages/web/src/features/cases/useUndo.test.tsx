import { casesApi } from '@parapet/contract/cases.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import type { CaseLike } from './caseTexts.ts';
import type { CaseChanges } from './useCaseChange.ts';
import { useUndo } from './useUndo.ts';

const of: CaseLike = {
  id: 5,
  incidentID: 5,
  title: 'Odd login',
  status: 'open',
  investigationStatus: 1,
  analyst: 'Ada L.',
  analystUserAccountID: 8,
  clientOrganizationID: 10,
};

/** The hook with a cached list of one case, and changes that only reach the cache. */
function undoOf(isAccepted = true) {
  const queries = new QueryClient();
  const key = [casesApi.list.id, {}];
  queries.setQueryData(key, { results: [{ ...of, version: 1 }] });
  const seen = () => queries.getQueryData<{ results: CaseLike[] }>(key)!.results[0]!;
  const put = (patch: Partial<CaseLike>) => queries.setQueryData(key, { results: [{ ...seen(), ...patch }] });
  const setStatus = vi.fn(async (_of: CaseLike, status: CaseLike['status']) => {
    if (isAccepted) put({ status });
    return isAccepted;
  });
  const assign = vi.fn(async (_of: CaseLike, analyst: { id: number; displayName: string } | null) => {
    put({ analyst: analyst?.displayName ?? null, analystUserAccountID: analyst?.id ?? null });
    return true;
  });
  let hook: ReturnType<typeof useUndo> | undefined;
  const Probe = () => {
    hook = useUndo({ setStatus, assign } as unknown as CaseChanges);
    return null;
  };
  renderToStaticMarkup(
    <QueryClientProvider client={queries}>
      <Probe />
    </QueryClientProvider>,
  );
  return { ...hook!, seen, put, sent: setStatus, sentAnalyst: assign };
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

test('undoes the last change first, until nothing is left', async () => {
  const { setStatus, assign, undo, seen } = undoOf();
  await setStatus(of, 'investigating');
  await assign(seen(), null);
  undo();
  await settle();
  expect(seen()).toMatchObject({ status: 'investigating', analyst: 'Ada L.', analystUserAccountID: 8 });
  undo();
  await settle();
  expect(seen()).toMatchObject({ status: 'open', analystUserAccountID: 8 });
  undo();
  await settle();
  expect(seen()).toMatchObject({ status: 'open' });
});

test('leaves a case that was changed again since', async () => {
  const { setStatus, undo, put, sent } = undoOf();
  await setStatus(of, 'assigned');
  put({ status: 'malicious' });
  undo();
  await settle();
  expect(sent).toHaveBeenCalledTimes(1);
});

test('undoes nothing after a refused change', async () => {
  const { setStatus, undo, sent } = undoOf(false);
  expect(await setStatus(of, 'assigned')).toBe(false);
  undo();
  await settle();
  expect(sent).toHaveBeenCalledTimes(1);
});

test('does not close a case that was reopened', async () => {
  const { setStatus, undo, put, seen, sent } = undoOf();
  put({ status: 'closed' });
  await setStatus(seen(), 'investigating');
  undo();
  await settle();
  expect(sent).toHaveBeenCalledTimes(1);
});
