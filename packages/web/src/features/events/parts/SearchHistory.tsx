/** The reader’s own last searches. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { eventsApi } from '@parapet/contract/events.ts';
import { useQuery } from '@tanstack/react-query';
import { BarMenu } from '../../../kit/BarMenu.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import type { Query } from '../../../lib/paths.ts';
import { queryOptionsOf } from '../../../lib/query.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';

const Sheet = styled('div')({
  width: 'min(420px, calc(100vw - 32px))',
  maxHeight: 420,
  padding: '8px 6px',
  overflowY: 'auto',
  fontSize: 13,
  '& ul': { margin: 0, padding: 0, listStyle: 'none' },
  '& li button': {
    display: 'flex',
    gap: 12,
    width: '100%',
    padding: '6px 8px',
    font: 'inherit',
    textAlign: 'left',
    color: palette.text.primary,
    background: 'none',
    border: 0,
    borderRadius: 6,
    cursor: 'pointer',
  },
  '& li button:hover': { backgroundColor: palette.action.hover },
  '& li button:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
  '& .text': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
  '& .when': { fontSize: 12, color: palette.text.secondary, whiteSpace: 'nowrap' },
  '& p': { margin: '6px 8px', color: palette.text.secondary },
});

const names = ['search', 'text', 'device', 'user', 'field'] as const;

/** Address change that repeats a search in the current timeframe. */
export function historyChange(query: string): Query {
  const given = new URLSearchParams(query);
  return Object.fromEntries([...names, 'query', 'from', 'until'].map((name) => [name, given.get(name) ?? undefined]));
}

/** A search as one line. */
export function textOfQuery(query: string): string {
  const given = new URLSearchParams(query);
  return names
    .flatMap((name) => (given.has(name) ? `${name === 'search' ? '' : `${name}: `}${given.get(name)}` : []))
    .join(' · ');
}

interface HistoryProps {
  onApply: (query: string) => void;
  timeZone: string;
}

export function SearchHistory({ onApply, timeZone }: HistoryProps) {
  return (
    <BarMenu text="History" icon={<ScheduleRounded />} label="Search history">
      {(close) => (
        <HistoryList
          timeZone={timeZone}
          onApply={(query) => {
            onApply(query);
            close();
          }}
        />
      )}
    </BarMenu>
  );
}

function HistoryList({ onApply, timeZone }: HistoryProps) {
  const { data, error, refetch } = useQuery({ ...queryOptionsOf(eventsApi.history, {}), staleTime: 0 });
  const clear = useApiMutation(eventsApi.clearHistory, {
    invalidates: [eventsApi.history],
    failure: 'Couldn’t clear the search history.',
  });
  return (
    <Sheet>
      {error ? (
        <FailedLine what="search history" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <TextSkeleton lines={4} />
      ) : data.results.length === 0 ? (
        <p>No searches yet. Only you see this list.</p>
      ) : (
        <>
          <ul aria-label="Your last searches">
            {data.results.map(({ query, searchedAt }) => (
              <li key={query}>
                <button type="button" onClick={() => onApply(query)}>
                  <span className="text">
                    <VisibleText text={textOfQuery(query)} />
                  </span>
                  <span className="when">
                    <RelativeTime at={searchedAt} timeZone={timeZone} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <Button size="small" color="inherit" loading={clear.isPending} onClick={() => clear.mutate({})}>
            Clear history
          </Button>
        </>
      )}
    </Sheet>
  );
}
