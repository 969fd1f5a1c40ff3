/** Deliveries to one target, newest first. */
import Button from '@mui/material/Button';
import type { Delivery, DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ArrowBackRounded } from '../../../kit/icons/ArrowBackRounded.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { RowList } from '../../../kit/RowList.tsx';
import { Row, RowHead, RowsBar } from '../../../kit/rows.styles.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { pagingOf } from '../../../lib/paging.ts';
import { useScope } from '../../../lib/scope.ts';
import { useListState } from '../../../lib/useListState.ts';
import { deliveriesQuery, deliveryList, refreshMs, useReplay, useReplayAll } from '../deliveries.queries.ts';
import { DeliveryDialog } from './DeliveryDialog.tsx';
import { DeliveryMark, TargetMark } from './DeliveryMark.tsx';
import { LinkedTickets } from './LinkedTickets.tsx';

export function TargetDeliveries({ target, backHref }: { target: DeliveryTarget; backHref: string }) {
  const list = useListState(deliveryList);
  const { clientOrganizationID: client, id, name } = target;
  const replayAll = useReplayAll();
  const query = useQuery({ ...deliveriesQuery(client, id, list.query), refetchInterval: refreshMs });
  const [shown, setShown] = useState<number>();
  return (
    <>
      <RowsBar>
        <Button size="small" component={AppLink} href={backHref} startIcon={<ArrowBackRounded />}>
          All targets
        </Button>
        <h2 style={{ margin: 0, fontSize: 15 }}>
          Deliveries to <VisibleText text={name} />
        </h2>
        <TargetMark state={target.state} />
        {target.givenUp > 0 && (
          <Button size="small" loading={replayAll.isPending} onClick={() => replayAll.mutate({ params: { client, target: id } })}>
            Replay all given up
          </Button>
        )}
      </RowsBar>
      {target.hasTickets && <LinkedTickets target={target} />}
      <RowList
        label="Deliveries"
        what="deliveries"
        rowHeight={64}
        query={query}
        paging={pagingOf(list, query.data?.total)}
        empty={
          <EmptyState
            title="No deliveries yet"
            text="Routing rules decide which events go here. Send a test to try the target."
          />
        }
      >
        {(row) => <DeliveryRow key={row.id} target={target} delivery={row} onShow={() => setShown(row.id)} />}
      </RowList>
      {shown !== undefined && <DeliveryDialog target={target} id={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function DeliveryRow({ target, delivery, onShow }: { target: DeliveryTarget; delivery: Delivery; onShow: () => void }) {
  const { timeZone } = useScope();
  const replay = useReplay();
  const { id, title, clientName, state, attempts, nextAt, words, acceptedId, link, eventAt } = delivery;
  return (
    <Row aria-label={title}>
      <div className="fields">
        <RowHead>
          <strong>
            <VisibleText text={title} />
          </strong>
          <DeliveryMark state={state} />
          <span className="about">
            <VisibleText text={clientName} /> · <RelativeTime at={eventAt} timeZone={timeZone} />
            {attempts > 1 && ` · ${attempts} attempts`}
            {acceptedId && (
              <>
                {' '}
                ·{' '}
                {link ? (
                  <a href={link} target="_blank" rel="noreferrer noopener">
                    <VisibleText text={acceptedId} />
                  </a>
                ) : (
                  <VisibleText text={acceptedId} />
                )}
              </>
            )}
          </span>
        </RowHead>
        {words && (
          <div>
            <VisibleText text={words} />{' '}
            {nextAt && (
              <>
                Next attempt <RelativeTime at={nextAt} timeZone={timeZone} />.
              </>
            )}
          </div>
        )}
      </div>
      <span className="buttons">
        {state === 'givenUp' && !['test', 'billing.quantity'].includes(delivery.event) && (
          <Button
            size="small"
            aria-label={`Replay ${title}`}
            loading={replay.isPending}
            onClick={() => replay.mutate({ params: { client: target.clientOrganizationID, target: target.id, delivery: id } })}
          >
            Replay
          </Button>
        )}
        <Button size="small" aria-label={`Details of ${title}`} onClick={onShow}>
          Details
        </Button>
      </span>
    </Row>
  );
}
