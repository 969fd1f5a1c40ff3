/** Events of a sample as the intake would store them, while the mapping is edited. */
import { styled } from '@mui/material/styles';
import type { EventMapping, MappingPreview as Preview } from '@parapet/contract/eventMapping.ts';
import { namespaceFault } from '@parapet/contract/rules/eventMapping.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { absoluteTime } from '../../../kit/time.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { previewQuery } from '../webhookSources.queries.ts';

/** Pause in typing before the preview follows. */
const pauseMs = 300;

const Event = styled('article')({
  display: 'grid',
  gap: 10,
  paddingBottom: 16,
  '& + &': { borderTop: `1px solid ${palette.divider}`, paddingTop: 16 },
  '& .text': { fontWeight: 600, overflowWrap: 'anywhere' },
});

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

interface Props {
  client: number;
  /** Empty while the text can’t be read. */
  sample: string;
  mapping: EventMapping;
}

export function MappingPreview({ client, sample, mapping }: Props) {
  // Without a namespace yet, the preview shows a stand-in.
  const namespace = namespaceFault(mapping.namespace) ? 'product' : mapping.namespace;
  const json = useSettled(JSON.stringify([sample, { ...mapping, namespace }]));
  const [settledSample, settledMapping] = JSON.parse(json) as [string, EventMapping];
  const isEmpty = settledSample.trim() === '';
  const { data, error } = useQuery({ ...previewQuery(client, settledSample, settledMapping), enabled: !isEmpty });
  return (
    <Card title="Preview" purpose="Events as they would be stored.">
      {isEmpty && <p style={{ margin: 0 }}>Paste a sample to see its events.</p>}
      {!isEmpty && error && (
        <Note tone="warning" role="alert">
          <VisibleText text={error.message} />
        </Note>
      )}
      {!isEmpty && !error && data && <Events preview={data} />}
    </Card>
  );
}

function Events({ preview: { results, total, refused } }: { preview: Preview }) {
  const { timeZone } = useScope();
  return (
    <>
      {refused.length > 0 && (
        <Note tone="warning">
          {refused.map((text) => (
            <div key={text}>{text}</div>
          ))}
        </Note>
      )}
      {results.map((event, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the events of a sample have no other identity
        <Event key={at} aria-label={`Event ${at + 1}`}>
          <div className="text">
            <VisibleText text={event.text} />
          </div>
          <DefinitionList
            minWidth={150}
            facts={[
              { name: 'Time', value: event.at ? absoluteTime(Date.parse(event.at), timeZone) : 'On arrival' },
              { name: 'Data source', value: event.device === '' ? 'As named above' : <VisibleText text={event.device} /> },
              { name: 'User', value: event.user && <VisibleText text={event.user} /> },
              { name: 'Not readable', value: event.unread.length > 0 && event.unread.join(', ') },
            ].map((fact) => ({ ...fact, value: fact.value || null }))}
          />
          <CodeViewer text={event.document} label={`Event ${at + 1}`} />
        </Event>
      ))}
      {total > results.length + refused.length && (
        <p style={{ margin: 0, fontSize: 13 }}>
          The first {counted(results.length, 'event')} of {total}.
        </p>
      )}
    </>
  );
}
