/** Counts beside the agreements of a PSA: differences first, and what a person confirms is written. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Note } from '../../../kit/Note.tsx';
import { Section } from '../../../kit/Section.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { type BillingTarget, billingTargetsQuery, compareQuery } from '../billing.queries.ts';
import { ItemsDialog } from './ItemsDialog.tsx';
import { PsaLines } from './PsaLines.tsx';
import { Actions } from './styles.ts';

const refreshMs = 4_000;
const waiting = ['queued', 'sent', 'failed'];

export function PsaSection({ client, month }: { client: number; month: string }) {
  const targets = useQuery(billingTargetsQuery(client));
  const [chosen, setChosen] = useState<number>();
  const list = targets.data?.results;
  const target = list?.find(({ id }) => id === chosen) ?? list?.[0];
  return (
    <Section title="Agreements at the PSA">
      {!list ? (
        targets.error ? (
          <FailedState what="targets" error={targets.error} onRetry={() => void targets.refetch()} />
        ) : (
          <TextSkeleton lines={3} />
        )
      ) : target ? (
        <>
          {list.length > 1 && (
            <TextField
              select
              size="small"
              label="PSA"
              value={target.id}
              onChange={(event) => setChosen(Number(event.target.value))}
              sx={{ mb: 2, minWidth: 220 }}
            >
              {list.map(({ id, name }) => (
                <MenuItem key={id} value={id}>
                  <VisibleText text={name} />
                </MenuItem>
              ))}
            </TextField>
          )}
          <Compared key={`${target.id} ${month}`} client={client} month={month} target={target} />
        </>
      ) : (
        <Note>
          No PSA has a company for this client. Add one under <AppLink href={paths.deliveries({ client })}>Deliveries</AppLink>,
          and choose the client’s company at Tickets.
        </Note>
      )}
    </Section>
  );
}

function Compared({ client, month, target }: { client: number; month: string; target: BillingTarget }) {
  const [isChoosing, setChoosing] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({
    ...compareQuery(client, target.id, month),
    staleTime: 0,
    refetchOnWindowFocus: false,
    // Until the PSA confirmed what was written.
    refetchInterval: ({ state }) =>
      state.data?.lines.some(({ newest }) => newest && waiting.includes(newest.state)) ? refreshMs : false,
  });
  if (!data)
    return error ? <FailedState what="agreements" error={error} onRetry={() => void refetch()} /> : <TextSkeleton lines={4} />;
  const again = (
    <Button size="small" onClick={() => void refetch()} loading={isFetching}>
      Compare again
    </Button>
  );
  return (
    <>
      {data.error !== null && (
        <Note tone="warning" actions={again}>
          Couldn’t read from {target.title}: <VisibleText text={data.error} />
        </Note>
      )}
      <PsaLines client={client} month={month} target={target} comparison={data} />
      <Actions>
        <Button size="small" variant="outlined" onClick={() => setChoosing(true)} disabled={data.agreements === null}>
          Choose items
        </Button>
        {data.error === null && again}
        <span className="hint">Company: {visibleText(target.companyName)}. Nothing is written before you confirm it.</span>
      </Actions>
      {isChoosing && data.agreements && (
        <ItemsDialog
          client={client}
          target={target}
          agreements={data.agreements}
          lines={data.lines}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}
