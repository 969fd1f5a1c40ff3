/** Sends a test attack with an ingest key made for it, follows it to its case, and revokes the key. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { setupApi } from '@parapet/contract/setup.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
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

async function sendThroughIntake(client: number, device: string): Promise<void> {
  const made = await call(ingestKeysApi.create, { params: { client }, body: { name: 'Test attack of the setup checklist' } });
  try {
    const answer = await fetch('/ingest/_bulk', {
      method: 'POST',
      headers: { authorization: `ApiKey ${made.key}`, 'content-type': 'application/x-ndjson' },
      body: testAttackLines(device, new Date()),
    });
    if (!answer.ok) throw new Error(`The intake rejected the event: ${answer.status} ${(await answer.text()).slice(0, 200)}`);
  } finally {
    await call(ingestKeysApi.revoke, { params: { client, key: made.id } });
  }
}

export function TestAttack({ client }: { client: number }) {
  const queries = useQueryClient();
  const [sent, setSent] = useState<Sent>();
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState('');
  const send = async () => {
    setSending(true);
    setFailure('');
    const device = newTestDevice();
    try {
      await sendThroughIntake(client, device);
      setSent({ device, at: Date.now() });
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
                {result.alertID !== null && result.alertAfterMs !== null ? (
                  <>
                    <AppLink href={paths.alert(result.alertID)}>Alert</AppLink> after {secondsText(result.alertAfterMs)}
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
                {result.caseID !== null && result.caseAfterMs !== null ? (
                  <>
                    <AppLink href={paths.case(result.caseID)}>Case</AppLink> after {secondsText(result.caseAfterMs)}
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
