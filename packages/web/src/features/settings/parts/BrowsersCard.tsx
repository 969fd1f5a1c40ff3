/** Browsers in which the user gets notifications; turned on in the one that is open. */
import Button from '@mui/material/Button';
import type { NotifiedBrowser } from '@parapet/contract/browserNotifications.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { Note } from '../../../kit/Note.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { endOwnNotifications } from '../../../lib/ownNotifications.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { browsersQuery, useAddBrowser, useRemoveBrowser } from '../account.queries.ts';
import { browserName } from '../browserName.ts';
import { hasNotifications, isBlocked, ownFingerprint, subscribe } from '../browserNotifications.ts';
import { Stack } from './settings.styles.ts';

export function BrowsersCard() {
  const { data, error, refetch } = useQuery(browsersQuery());
  const [own, setOwn] = useState<string | null>();
  const readOwn = () =>
    ownFingerprint().then(setOwn, () => {
      setOwn(null);
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => void readOwn(), []);
  const browsers = data?.results;
  const isOnHere = browsers?.some(({ fingerprint }) => fingerprint === own) ?? false;
  return (
    <Card
      isWide
      title="Browsers"
      purpose="Notifications of cases and other events that your organisation’s routing rules send to browsers. Signing out ends them in that browser."
    >
      {browsers && own !== undefined ? (
        <Stack>
          {browsers.length > 0 && (
            <Rows aria-label="Browsers with notifications">
              {browsers.map((browser) => (
                <BrowserRow
                  key={browser.id}
                  browser={browser}
                  isThis={browser.fingerprint === own}
                  onOff={() => void readOwn()}
                />
              ))}
            </Rows>
          )}
          {!isOnHere && <TurnOn publicKey={data.publicKey} onOn={() => void readOwn()} />}
        </Stack>
      ) : error ? (
        <FailedLine what="your browsers" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={2} lineHeight={48} />
      )}
    </Card>
  );
}

function TurnOn({ publicKey, onOn }: { publicKey: string; onOn: () => void }) {
  const add = useAddBrowser();
  const [isBusy, setBusy] = useState(false);
  if (!hasNotifications())
    return <Note>This browser has no notifications. On an iPhone or iPad, add the portal to the Home Screen first.</Note>;
  if (isBlocked())
    return <Note tone="warning">This browser blocks notifications of the portal. Allow them in its settings.</Note>;
  const turnOn = async () => {
    setBusy(true);
    try {
      const body = await subscribe(publicKey);
      await add.mutateAsync({ body }).catch(endOwnNotifications);
    } catch (error) {
      toast.error(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
    onOn();
  };
  return (
    <div>
      <Button variant="outlined" loading={isBusy} onClick={() => void turnOn()}>
        Turn on in this browser
      </Button>
    </div>
  );
}

function BrowserRow({ browser, isThis, onOff }: { browser: NotifiedBrowser; isThis: boolean; onOff: () => void }) {
  const { timeZone } = useScope();
  const remove = useRemoveBrowser();
  const { id, userAgent, service, addedAt, acceptedAt, error } = browser;
  const name = browserName(userAgent);
  const turnOff = () =>
    remove.mutate(
      { params: { id } },
      {
        onSuccess: () => {
          if (isThis) void endOwnNotifications().finally(onOff);
        },
      },
    );
  return (
    <Row aria-label={name}>
      <div className="fields">
        <strong style={{ display: 'block' }}>
          <VisibleText text={name} />
          {isThis && ' (this browser)'}
        </strong>
        Turned on <RelativeTime at={addedAt} timeZone={timeZone} />,{' '}
        {acceptedAt ? (
          <>
            <VisibleText text={service} /> accepted the newest notification <RelativeTime at={acceptedAt} timeZone={timeZone} />
          </>
        ) : (
          'none accepted yet'
        )}
        {error && (
          <>
            . Newest failure: <VisibleText text={error} />
          </>
        )}
      </div>
      <span className="buttons">
        <Button size="small" color="error" aria-label={`Turn off in ${name}`} loading={remove.isPending} onClick={turnOff}>
          Turn off
        </Button>
      </span>
    </Row>
  );
}
