/** Versions of a configuration: author, comment, difference, and restoring an older one. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { CollectorConfig, ConfigKind } from '@parapet/contract/collectors.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { configQuery, versionsQuery } from '../collectors.queries.ts';
import { kindTexts } from '../kinds.ts';
import { Difference } from './Difference.tsx';
import { SaveDialog } from './SaveDialog.tsx';

const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 340px), 1fr))',
  alignItems: 'start',
  gap: 16,
  '& > *': { minWidth: 0 },
  '@media (min-width: 1100px)': { gridTemplateColumns: '340px minmax(0, 1fr)' },
});
const List = styled('ol')({
  listStyle: 'none',
  margin: '-8px -12px',
  padding: 0,
  maxHeight: 640,
  overflowY: 'auto',
  '& a': {
    display: 'block',
    padding: '8px 12px',
    borderRadius: 6,
    color: 'inherit',
    textDecoration: 'none',
    overflowWrap: 'anywhere',
    '&:hover': { backgroundColor: palette.action.hover },
    '&[aria-current]': { backgroundColor: palette.action.selected },
  },
  '& .quiet': { fontSize: 13, color: palette.text.secondary },
  '& .counts': { float: 'right', fontSize: 13, fontVariantNumeric: 'tabular-nums' },
});

interface Props {
  client: number;
  kind: ConfigKind;
  newest: CollectorConfig;
  /** The page has unsaved changes, which restoring would discard. */
  isDirty: boolean;
  onRollBack: (yaml: string, comment: string) => Promise<boolean>;
}

export function Versions({ client, kind, newest, isDirty, onRollBack }: Props) {
  const { timeZone } = useScope();
  const { search } = useSearchState();
  const { data, error, refetch } = useQuery(versionsQuery(client, kind));
  if (!data) {
    if (error) return <FailedState what="versions" error={error} onRetry={() => void refetch()} />;
    return <TextSkeleton lines={8} lineHeight={48} />;
  }
  if (data.total === 0)
    return (
      <EmptyState
        title="No versions yet"
        text={`This client’s hosts use the standard configuration of ${kindTexts[kind].title}. Saving creates version 1.`}
      />
    );
  const requested = Number(search.version);
  const version = search.version === '0' || data.results.some((each) => each.version === requested) ? requested : newest.version;
  const hrefOf = (each: number) => paths.collectorConfig(kind, client, { tab: 'versions', version: each });
  return (
    <Columns>
      <Card
        title="Versions"
        purpose={data.total > data.results.length ? `Newest ${data.results.length} of ${data.total}` : undefined}
      >
        <List aria-label="Versions">
          {data.results.map((each) => (
            <li key={each.version}>
              <AppLink href={hrefOf(each.version)} aria-current={each.version === version ? 'true' : undefined}>
                <span className="counts" title={`${each.added} lines added, ${each.removed} removed`}>
                  +{each.added} −{each.removed}
                </span>
                <strong>Version {each.version}</strong>
                <div>{each.comment && <VisibleText text={each.comment} />}</div>
                <div className="quiet">
                  <VisibleText text={each.savedBy || 'A former user'} /> · <RelativeTime at={each.savedAt} timeZone={timeZone} />
                </div>
              </AppLink>
            </li>
          ))}
          <li>
            <AppLink href={hrefOf(0)} aria-current={version === 0 ? 'true' : undefined}>
              <strong>Standard</strong>
              <div className="quiet">Used until a version is saved</div>
            </AppLink>
          </li>
        </List>
      </Card>
      <OneVersion {...{ client, kind, newest, version, isDirty, onRollBack }} />
    </Columns>
  );
}

function OneVersion({ client, kind, newest, version, isDirty, onRollBack }: Props & { version: number }) {
  const { search, change } = useSearchState();
  const isOld = version !== newest.version;
  // Compares an older version with the current one, and the current one with its predecessor.
  const isAgainstNewest = isOld && (version === 0 || search.against === 'newest');
  const other = isAgainstNewest ? newest.version : version - 1;
  const shown = useQuery(configQuery(client, kind, version));
  const before = useQuery(configQuery(client, kind, other));
  const [isAsking, setAsking] = useState(false);
  const failed = shown.error ?? before.error;
  const nameOf = (each: number) => (each === 0 ? 'the standard configuration' : `version ${each}`);
  const isHere = shown.data?.version === version && before.data?.version === other;
  return (
    <Card
      title={version === 0 ? 'Standard' : `Version ${version}`}
      purpose={isAgainstNewest ? `Changes to ${nameOf(newest.version)} when restored` : `Changes to ${nameOf(other)}`}
    >
      {isHere && shown.data && before.data ? (
        <Difference
          before={before.data.yaml}
          after={shown.data.yaml}
          label={`Difference between ${nameOf(other)} and ${nameOf(version)}`}
        />
      ) : failed ? (
        <FailedState
          what="the version"
          error={failed}
          onRetry={() => {
            void shown.refetch();
            void before.refetch();
          }}
        />
      ) : (
        <TextSkeleton lines={10} lineHeight={20} />
      )}
      {isOld && (
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8, marginTop: 16 }}>
          <Button variant="contained" disabled={!isHere} onClick={() => setAsking(true)}>
            Restore this version
          </Button>
          {version !== 0 && (
            <Button onClick={() => change({ against: isAgainstNewest ? undefined : 'newest' }, { replace: true })}>
              {isAgainstNewest ? 'Compare with previous version' : 'Compare with latest version'}
            </Button>
          )}
        </div>
      )}
      {isAsking && shown.data && (
        <SaveDialog
          title={`Restore ${nameOf(version)}? It becomes version ${newest.version + 1}.${isDirty ? ' Your unsaved changes will be lost.' : ''}`}
          before={newest.yaml}
          after={shown.data.yaml}
          comment={`Restored ${nameOf(version)}`}
          saveText={`Save as version ${newest.version + 1}`}
          onClose={() => setAsking(false)}
          onSave={async (comment) => {
            if (await onRollBack(shown.data.yaml, comment)) setAsking(false);
          }}
        />
      )}
    </Card>
  );
}
