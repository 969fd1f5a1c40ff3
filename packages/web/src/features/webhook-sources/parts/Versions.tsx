/** Earlier versions of a mapping, which can be loaded into the editor. */
import Button from '@mui/material/Button';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { WebhookSource } from '@parapet/contract/webhookSources.ts';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { counted } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { versionsQuery } from '../webhookSources.queries.ts';

export function Versions({ source, onLoad }: { source: WebhookSource; onLoad: (mapping: EventMapping) => void }) {
  const { timeZone } = useScope();
  const { data, error, refetch } = useQuery(versionsQuery(source.clientOrganizationID, source.id));
  return (
    <Card title="Versions">
      {!data &&
        (error ? (
          <FailedState what="versions" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={2} lineHeight={44} />
        ))}
      {data && (
        <Rows aria-label="Versions">
          {data.results.map(({ version, mapping, savedBy, savedAt }) => (
            <Row key={version}>
              <span className="fields">
                <strong>Version {version}</strong>
                {version === source.version && ' (current)'}
                <div style={{ fontSize: 13 }}>
                  {counted(mapping.fields.length, 'field')} · <VisibleText text={savedBy || 'A former user'} /> ·{' '}
                  <RelativeTime at={savedAt} timeZone={timeZone} />
                </div>
              </span>
              {version !== source.version && (
                <Button size="small" aria-label={`Load version ${version}`} onClick={() => onLoad(mapping)}>
                  Load
                </Button>
              )}
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  );
}
