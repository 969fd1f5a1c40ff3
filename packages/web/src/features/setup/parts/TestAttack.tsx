/** Sends a test attack with an ingest key made for it, follows it to its case, and revokes the key. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { setupApi } from '@parapet/contract/setup.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { AppLink } from '../../../lib/AppLink.tsx';
import { call } from '../../../lib/call.ts';
import { paths } from '../../../lib/paths.ts';
import { queryOptionsOf } from '../../../lib/query.ts';
import { newTestDevice, secondsText, testAttackLines } from '../testAttack.ts';

const pollMs = 500;
/** After this long without a case, the result is given as it is. */
const patienceMs = 60_000;

const Progress = styled('ul')({ margin: 0, padding: 0, listStyle: 'none', fontSize: 13 });

interface Sent {
  device: string;
  at: number;
}

/** Returns the time of sending. */
async function sendThroughIntake(client: number, device: string): Promise<number> {
  const made = await call(ingestKeysApi.create, { params: { client }, body: { name: 'Test attack of the setup checklist' } });
  try {
    const at = Date.now();
    const answer = await fetch('/ingest/_bulk', {
      method: 'POST',
      headers: { authorization: `ApiKey ${made.key}`, 'content-type': 'application/x-ndjson' },
      body: testAttackLines(device, new Date(at)),
    });
    if (!answer.ok) throw new Error(`The intake rejected the event: ${answer.status} ${(await answer.text()).slice(0, 200)}`);
    return at;
  } finally {
    await call(ingestKeysApi.revoke, { params: { client, key: made.id } });
  }
}

export function TestAttack({ client }: { client: number }) {
  const queries = useQueryClient();
  const [sent, setSent] = useState<Sent>();
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState('');
  /** Milliseconds from sending until the page saw each; the stored times are those of the event’s arrival. */
  const [seen, setSeen] = useState<{ alert?: number; case?: number }>({});
  const send = async () => {
    setSending(true);
    setFailure('');
    const device = newTestDevice();
    try {
      const at = await sendThroughIntake(client, device);
      setSeen({});
      setSent({ device, at });
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setSending(false);
    }
  };
  const followed = useQuery({
    ...queryOptionsOf(setupApi.attack, { params: { client, device: sent?.device ?? '' } }),
    enabled: sent !== undefined,
    refetchInterval: ({ state }) => {
      if (state.data?.caseID != null) {
        void queries.invalidateQueries({ queryKey: [setupApi.get.id] });
        return false;
      }
      return sent && Date.now() - sent.at < patienceMs ? pollMs : false;
    },
  });
  const result = followed.data;
  const [hasAlert, hasCase] = [result?.alertID != null, result?.caseID != null];
  useEffect(() => {
    if (!sent) return;
    const after = Date.now() - sent.at;
    setSeen((known) => ({
      ...known,
      ...(hasAlert && known.alert === undefined && { alert: after }),
      ...(hasCase && known.case === undefined && { case: after }),
    }));
  }, [sent, hasAlert, hasCase]);
  const isWaiting = sent !== undefined && result?.caseID == null && Date.now() - sent.at < patienceMs;
  return (
    <div>
      <Button variant="outlined" size="small" onClick={() => void send()} loading={isSending || isWaiting}>
        Send test attack
      </Button>
      <div role="status">
        {failure !== '' && <span>{failure}</span>}
        {sent && (
          <Progress aria-label="Progress of the test attack">
            <li>{result?.receivedAt ? 'Event received' : 'Waiting for the event…'}</li>
            {result?.receivedAt && (
              <li>
                {result.alertID !== null && seen.alert !== undefined ? (
                  <>
                    <AppLink href={paths.alert(result.alertID)}>Alert</AppLink> after {secondsText(seen.alert)}
                  </>
                ) : isWaiting ? (
                  'Waiting for the alert…'
                ) : (
                  'No alert within a minute. The rules of this installation may not include the test’s.'
                )}
              </li>
            )}
            {result && result.alertID !== null && (
              <li>
                {result.caseID !== null && seen.case !== undefined ? (
                  <>
                    <AppLink href={paths.case(result.caseID)}>Case</AppLink> after {secondsText(seen.case)}
                  </>
                ) : isWaiting ? (
                  'Waiting for the case…'
                ) : (
                  'No case within a minute.'
                )}
              </li>
            )}
          </Progress>
        )}
      </div>
    </div>
  );
}
