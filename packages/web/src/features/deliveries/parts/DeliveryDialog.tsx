/** A delivery with its last request and response. */
import Button from '@mui/material/Button';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useQuery } from '@tanstack/react-query';
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { deliveryQuery, refreshMs } from '../deliveries.queries.ts';
import { DeliveryMark } from './DeliveryMark.tsx';

/** Indented when it is JSON. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function DeliveryDialog({ target, id, onClose }: { target: DeliveryTarget; id: number; onClose: () => void }) {
  const { timeZone } = useScope();
  const query = deliveryQuery(target.clientOrganizationID, target.id, id);
  const { data, error, refetch } = useQuery({ ...query, refetchInterval: refreshMs });
  const at = (instant: string | null) => instant && <AbsoluteTime at={instant} timeZone={timeZone} />;
  return (
    <Modal title={`Delivery ${id}`} onClose={onClose} maxWidth="md" actions={<Button onClick={onClose}>Close</Button>}>
      {data ? (
        <>
          <DefinitionList
            minWidth={160}
            facts={[
              { name: 'Subject', value: <VisibleText text={data.title} />, isWide: true },
              { name: 'State', value: <DeliveryMark state={data.state} /> },
              { name: 'Client', value: <VisibleText text={data.clientName} /> },
              { name: 'Event', value: at(data.eventAt) },
              { name: 'Attempts', value: exact(data.attempts) },
              { name: 'Last attempt', value: at(data.sentAt) },
              { name: 'Next attempt', value: at(data.nextAt) },
              { name: 'Accepted', value: at(data.acceptedAt) },
              { name: 'Accepted as', value: data.acceptedId && <VisibleText text={data.acceptedId} /> },
              { name: 'Idempotency key', value: data.messageId },
              { name: 'Failure', value: data.words && <VisibleText text={data.words} />, isWide: true },
            ]}
          />
          <h3 style={{ fontSize: 13, margin: '16px 0 6px' }}>Request</h3>
          {data.request === null ? 'Not sent yet.' : <CodeViewer text={readable(data.request)} label="Request" />}
          <h3 style={{ fontSize: 13, margin: '16px 0 6px' }}>
            Response{data.answerStatus !== null && `: status ${data.answerStatus}`}
          </h3>
          {data.answer ? <CodeViewer text={readable(data.answer)} label="Response" /> : 'Empty, or none was received.'}
        </>
      ) : error ? (
        <FailedState what="the delivery" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={8} />
      )}
    </Modal>
  );
}
