/** Searches of the past that new knowledge started: what was searched, found, and could not be searched. The address names the open one. */
import Button from '@mui/material/Button';
import type { PastSearch, PastSearchKind } from '@parapet/contract/pastSearches.ts';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../kit/Card.tsx';
import { DefinitionList } from '../../kit/DefinitionList.tsx';
import { counted, exact } from '../../kit/numbers.ts';
import { AbsoluteTime, RelativeTime } from '../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../kit/rows.styles.ts';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { visibleText } from '../../kit/visible.ts';
import { useSearchState } from '../../lib/address.ts';
import { objectIdIn } from '../../lib/pageLoader.ts';
import { useScope } from '../../lib/scope.ts';
import { PastFinds } from './parts/PastFinds.tsx';
import { isUnderWay, pastSearchesQuery } from './pastSearches.queries.ts';
import { stateText, termsText } from './pastSearches.ts';

const pollMs = 2_000;

interface Props {
  kinds: readonly PastSearchKind[];
  purpose: string;
  empty: string;
}

export function PastSearches({ kinds, purpose, empty }: Props) {
  const { client, may } = useScope();
  const { data, error, refetch } = useQuery({
    ...pastSearchesQuery(client),
    enabled: may('events:read'),
    refetchInterval: ({ state }) => (state.data?.results.some(isUnderWay) ? pollMs : false),
  });
  const searches = data?.results.filter(({ kind }) => kinds.includes(kind));
  return (
    <Card title="Searches of the past" purpose={purpose}>
      {searches ? (
        searches.length === 0 ? (
          <Nothing>{empty}</Nothing>
        ) : (
          <Rows aria-label="Searches of the past">
            {searches.map((search) => (
              <SearchRow key={search.id} search={search} />
            ))}
          </Rows>
        )
      ) : error ? (
        <FailedState what="searches" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={3} lineHeight={48} />
      )}
    </Card>
  );
}

function SearchRow({ search }: { search: PastSearch }) {
  const { timeZone } = useScope();
  const { search: address, change } = useSearchState();
  const isOpen = objectIdIn(address.past) === search.id;
  const { id, name, start, end, requestedTime, clients, searched, incomplete, events, leftOut } = search;
  const label = visibleText(name);
  return (
    <Row aria-label={label}>
      <div className="fields">
        <strong style={{ overflowWrap: 'anywhere' }}>
          <VisibleText text={name} />
        </strong>
        <div role="status">{stateText(search)}</div>
        <DefinitionList
          minWidth={150}
          facts={[
            { name: 'Searched for', value: termsText(search) },
            { name: 'Known since', value: <RelativeTime at={requestedTime} timeZone={timeZone} /> },
            ...(start && end
              ? [
                  {
                    name: 'Range',
                    value: (
                      <>
                        <AbsoluteTime at={start} timeZone={timeZone} /> to <AbsoluteTime at={end} timeZone={timeZone} />
                      </>
                    ),
                    isWide: true,
                  },
                  { name: 'Clients', value: `${exact(searched)} of ${exact(clients)} searched` },
                  { name: 'Events read', value: exact(events) },
                  { name: 'Incomplete', value: incomplete === 0 ? 'No client' : counted(incomplete, 'client') },
                ]
              : []),
            ...(leftOut > 0 ? [{ name: 'Not searched for', value: `${exact(leftOut)} beyond the limit`, isWide: true }] : []),
          ]}
        />
      </div>
      <div className="buttons">
        <Button
          size="small"
          aria-expanded={isOpen}
          aria-label={`Details of ${label}`}
          onClick={() => change({ past: isOpen ? undefined : id }, { replace: true })}
        >
          {isOpen ? 'Hide details' : 'Details'}
        </Button>
      </div>
      {isOpen && <PastFinds id={id} kind={search.kind} isOpen={isUnderWay(search)} />}
    </Row>
  );
}
