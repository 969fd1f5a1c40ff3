/** Searches of the past that found something since the person last looked; the newest one seen is stored with their settings. */
import { type PastSearch, pastSearchesApi } from '@parapet/contract/pastSearches.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { counted } from '../../kit/numbers.ts';
import { visibleText } from '../../kit/visible.ts';
import { paths } from '../../lib/paths.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useScope } from '../../lib/scope.ts';
import { changeSettings, useStoredSetting } from '../../lib/settingsStore.ts';
import { toast } from '../../lib/toast.ts';

const pollMs = 60_000;
const seenKey = 'pastFindsSeen';
/** Older finds stay on their page. */
const announcedMs = 14 * 86_400_000;

/** Ended searches with finds in the scope, newest first, beyond the one seen. */
export const unseenFinds = (searches: readonly PastSearch[], seen: number, now: number): PastSearch[] =>
  searches.filter(
    ({ id, hits, finishedTime }) =>
      id > seen && hits > 0 && finishedTime !== null && now - Date.parse(finishedTime) < announcedMs,
  );

export const findsText = ({ hits, name }: Pick<PastSearch, 'hits' | 'name'>): string =>
  `${counted(hits, 'find')} in stored events: ${visibleText(name)}`;

/** The page that shows a search, opened. */
export const findsPath = ({ id, kind }: Pick<PastSearch, 'id' | 'kind'>, mayPacks: boolean): string =>
  kind === 'rules' && mayPacks ? paths.rulePacks({ past: id }) : `${paths.intelligence()}?past=${id}`;

export function usePastFinds(): { finds: PastSearch[]; markSeen: () => void } {
  const { may } = useScope();
  const stored = Number(useStoredSetting(seenKey) ?? 0);
  const { data } = useQuery({
    ...queryOptionsOf(pastSearchesApi.list, { params: { client: 0 } }),
    enabled: may('events:read'),
    refetchInterval: pollMs,
  });
  const finds = unseenFinds(data?.results ?? [], stored, Date.now());
  const announced = useRef<number>(undefined);
  const newest = data?.results.find(({ finishedTime }) => finishedTime !== null)?.id ?? 0;
  useEffect(() => {
    if (!data) return;
    const before = announced.current;
    announced.current = Math.max(before ?? 0, newest);
    // Finds of before stand at the bell; a toast is for what ends while the portal is open.
    if (before === undefined) return;
    for (const search of unseenFinds(data.results, before, Date.now())) toast.info(findsText(search));
  }, [data, newest]);
  return { finds, markSeen: () => changeSettings({ [seenKey]: Math.max(stored, finds[0]?.id ?? 0) }) };
}
