/** Finds of a search of the past, each with a link to its events, and the clients with what could not be searched. */
import { styled } from '@mui/material/styles';
import type { PastSearchHit, PastSearchKind } from '@parapet/contract/pastSearches.ts';
import { useQuery } from '@tanstack/react-query';
import { MonoText } from '../../../kit/Mono.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Nothing } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { pastSearchQuery } from '../pastSearches.queries.ts';
import { gapsOf, hitCount, hitName } from '../pastSearches.ts';

const Part = styled('section')({ flex: '1 1 100%', minWidth: 0, display: 'grid', gap: 16 });
const List = styled('ul')({ listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: 8 });
const Item = styled('li')({
  display: 'grid',
  gap: 2,
  minWidth: 0,
  overflowWrap: 'anywhere',
  borderTop: `1px solid ${palette.divider}`,
  paddingTop: 8,
  '& > .more': { color: palette.text.secondary },
});
const Heading = styled('h3')({ margin: 0, fontSize: 14, fontWeight: 600 });

const pollMs = 2_000;

export function PastFinds({ id, kind, isOpen }: { id: number; kind: PastSearchKind; isOpen: boolean }) {
  const { client, timeZone } = useScope();
  const { data, error, refetch } = useQuery({ ...pastSearchQuery(client, id), refetchInterval: isOpen ? pollMs : false });
  if (!data)
    return (
      <Part>
        {error ? (
          <FailedLine what="the search" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={3} lineHeight={32} />
        )}
      </Part>
    );
  const { hits, clients } = data;
  return (
    <Part>
      <Heading>Found</Heading>
      {hits.length === 0 ? (
        <Nothing>{isOpen ? 'Nothing yet.' : 'Nothing in the events that could be searched.'}</Nothing>
      ) : (
        <List aria-label="Found">
          {hits.map((hit) => (
            <Find key={`${hit.clientOrganizationID} ${hit.kind} ${hit.value}`} hit={hit} timeZone={timeZone} />
          ))}
        </List>
      )}
      <Heading>Clients</Heading>
      {clients.length === 0 ? (
        <Nothing>No clients yet.</Nothing>
      ) : (
        <List aria-label="Clients searched">
          {clients.map((each) => {
            const gaps = gapsOf(each, kind, timeZone);
            return (
              <Item key={each.clientOrganizationID}>
                <span>
                  <VisibleText text={each.clientOrganizationName} />: {exact(each.events)} events read
                  {each.state === 'waiting' && ', not finished'}
                  {each.lost > 0 && `, ${counted(each.lost, 'alert')} no longer raised`}
                </span>
                <span className="more">{gaps.length === 0 ? 'Searched completely.' : gaps.join(' ')}</span>
              </Item>
            );
          })}
        </List>
      )}
    </Part>
  );
}

/** Before and after the first and last event. */
const marginMs = 60_000;

function Find({ hit, timeZone }: { hit: PastSearchHit; timeZone: string }) {
  const { kind, value, label, source, reputation, clientOrganizationID: client, firstTime, lastTime, examples } = hit;
  const time = {
    from: new Date(Date.parse(firstTime) - marginMs).toISOString(),
    until: new Date(Date.parse(lastTime) + marginMs).toISOString(),
  };
  const more = [reputation, source, kind === 'rule' ? '' : label].filter((text): text is string => Boolean(text));
  return (
    <Item>
      <span>
        {hitName(kind)} {kind === 'rule' ? <VisibleText text={label} /> : <MonoText>{value}</MonoText>}:{' '}
        {kind === 'rule' ? (
          <AppLink href={paths.rule(value, { client })}>{hitCount(hit)}</AppLink>
        ) : kind === 'finding' ? (
          <AppLink href={paths.vulnerability({ client, tab: 'findings', text: value })}>{hitCount(hit)}</AppLink>
        ) : (
          <AppLink href={paths.events({ client, text: value, ...time })}>{hitCount(hit)}</AppLink>
        )}{' '}
        at <VisibleText text={hit.clientOrganizationName} />
      </span>
      {more.length > 0 && (
        <span className="more">
          <VisibleText text={more.join(' · ')} />
        </span>
      )}
      {examples.map((example) => (
        <span className="more" key={`${example.at} ${example.deviceName} ${example.text}`}>
          <AbsoluteTime at={example.at} timeZone={timeZone} />{' '}
          <VisibleText text={[example.deviceName, example.userName, example.field, example.text].filter(Boolean).join(' · ')} />
        </span>
      ))}
    </Item>
  );
}
