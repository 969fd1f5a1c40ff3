/** Advisory sources with their age and, for Hosts, the import. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { Listing } from '../../../kit/Listing.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { isOld, originLabel, sourceName } from '../findings.ts';
import { ImportAdvisories } from '../parts/ImportAdvisories.tsx';
import { sourcesQuery } from '../vulnerabilities.queries.ts';

const title = 'Advisory sources';
const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 880, '& > *': { minWidth: 0 } });

export function SourcesTab() {
  const { client, may, timeZone } = useScope();
  const sources = useQuery(sourcesQuery());
  const rows = sources.data?.results;
  const old = (rows ?? []).filter(({ importedAt }) => isOld(importedAt, Date.now()));
  const at = (time: string | null) => (time === null ? '–' : <RelativeTime at={time} timeZone={timeZone} />);
  return (
    <Column>
      {may('intelligence:write') && (
        <>
          <Note
            actions={
              <Button size="small" component={AppLink} href={paths.devices(client, { tab: 'connections' })}>
                Feeds
              </Button>
            }
          >
            EPSS scores and known exploited vulnerabilities can be read by feeds every six hours, or imported here.
          </Note>
          <ImportAdvisories />
        </>
      )}
      {old.length > 0 && (
        <Note tone="warning">
          {old.map(({ kind }) => sourceName(kind)).join(', ')}: imported more than 30 days ago. Newer vulnerabilities are not
          detected.
        </Note>
      )}
      {rows ? (
        <Listing
          title={title}
          isWide
          heads={['Source', { title: 'Entries', isNumber: true }, 'Newest entry', 'Imported', 'By']}
          rows={rows.map(({ kind, count, newestAt, importedAt, origin }) => ({
            key: kind,
            text: sourceName(kind),
            cells: [
              <VisibleText key="kind" text={sourceName(kind)} />,
              exact(count),
              at(newestAt),
              at(importedAt),
              originLabel[origin],
            ],
          }))}
          empty="No advisories yet. A Host needs to import them before findings can be detected."
        />
      ) : (
        <Panel title={title}>
          {sources.error ? (
            <FailedState what="sources" error={sources.error} onRetry={() => void sources.refetch()} />
          ) : (
            <div style={{ padding: '0 16px 16px' }}>
              <TextSkeleton lines={8} lineHeight={32} />
            </div>
          )}
        </Panel>
      )}
    </Column>
  );
}
