/** State of a rule’s data: log sources that send, and fields without which it can match nothing. */
import type { RuleDetail } from '@parapet/contract/detectionRules.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';

type Health = NonNullable<RuleDetail['health']>;
const or = new Intl.ListFormat('en-GB', { type: 'disjunction' });

export function RuleHealth({ health, timeZone }: { health: Health; timeZone: string }) {
  return (
    <Section title="Data">
      {!health.canMatch && (
        <div style={{ marginBottom: 12 }}>
          <Note tone="warning">
            {health.missing.length > 0 ? <Missing health={health} timeZone={timeZone} /> : noSource(health)}
          </Note>
        </div>
      )}
      <DefinitionList
        minWidth={260}
        facts={health.sources.map(({ logSource, isLive, connectors }) => ({
          name: logSource || 'Any log source',
          value: isLive ? 'Live' : `Not live${connectors.length > 0 ? `. Connect by ${or.format(connectors)}` : ''}`,
        }))}
      />
    </Section>
  );
}

const noSource = ({ sources }: Health): string =>
  sources.length === 1
    ? 'The rule can’t match: nothing sends its log source.'
    : 'The rule can’t match: nothing sends any of its log sources.';

function Missing({ health: { missing }, timeZone }: { health: Health; timeZone: string }) {
  return (
    <>
      The rule can’t match: it reads fields that no event has.
      <ul style={{ margin: '4px 0 0', paddingLeft: 20 }}>
        {missing.map(({ field, logSource, code, lastSeenTime, events, sinceTime, connectors }) => (
          <li key={`${field} ${logSource} ${code}`}>
            <strong>
              <VisibleText text={field} />
            </strong>{' '}
            of <VisibleText text={code === null ? logSource : `${logSource}, event ${code}`} />:{' '}
            {lastSeenTime === null ? (
              <>
                not in {exact(events)} events sampled since <RelativeTime at={sinceTime} timeZone={timeZone} />
              </>
            ) : (
              <>
                last seen <RelativeTime at={lastSeenTime} timeZone={timeZone} />, not in {exact(events)} events sampled since
              </>
            )}
            {connectors.length > 0 && `. Sent by ${or.format(connectors)}`}
          </li>
        ))}
      </ul>
    </>
  );
}
