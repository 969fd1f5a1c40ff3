/** Tickets that are linked at a PSA, conflicts first. */
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import type { LinkedTicket } from '@parapet/contract/deliveryTickets.ts';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, RowHead, Rows } from '../../../kit/rows.styles.ts';
import { Section } from '../../../kit/Section.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { refreshMs, ticketsQuery } from '../deliveries.queries.ts';

const maxShown = 10;

export function LinkedTickets({ target }: { target: DeliveryTarget }) {
  const query = ticketsQuery(target.clientOrganizationID, target.id, maxShown);
  const { data, error, refetch } = useQuery({ ...query, refetchInterval: refreshMs });
  if (!data)
    return error ? (
      <FailedState what="tickets" error={error} onRetry={() => void refetch()} />
    ) : (
      <TextSkeleton lines={2} lineHeight={48} />
    );
  if (data.total === 0) return null;
  return (
    <div style={{ marginBottom: 24 }}>
      <Section title={`Linked tickets: ${exact(data.total)}`} isPlain>
        <Rows aria-label="Linked tickets">
          {data.results.map((ticket) => (
            <TicketRow key={ticket.ticketId} ticket={ticket} />
          ))}
        </Rows>
      </Section>
    </div>
  );
}

function TicketRow({ ticket }: { ticket: LinkedTicket }) {
  const { timeZone } = useScope();
  const { caseId, ticketId, link, status, syncedAt, conflict, deletedAt } = ticket;
  return (
    <Row aria-label={`Ticket ${ticketId}`}>
      <div className="fields">
        <RowHead>
          <strong>
            {link ? (
              <a href={link} target="_blank" rel="noreferrer noopener">
                Ticket <VisibleText text={ticketId} />
              </a>
            ) : (
              <>
                Ticket <VisibleText text={ticketId} />
              </>
            )}
          </strong>
          <span className="about">
            <AppLink href={paths.case(caseId)}>Case {caseId}</AppLink> ·{' '}
            {deletedAt ? 'Deleted at the PSA' : <VisibleText text={status} />} ·{' '}
            <RelativeTime at={syncedAt} timeZone={timeZone} />
          </span>
        </RowHead>
        {conflict && (
          <Note tone="warning">
            <VisibleText text={conflict} />
          </Note>
        )}
      </div>
    </Row>
  );
}
