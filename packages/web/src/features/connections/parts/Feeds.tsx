/** Feeds of EPSS scores and known exploited vulnerabilities, which the provider turns on for all clients. */
import Button from '@mui/material/Button';
import { type AdvisoryFeed, advisoryFeedsApi } from '@parapet/contract/advisoryFeeds.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TestConnection } from '../../../kit/TestConnection.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { feedsPollMs, feedsQuery, useChangeFeed, useTestFeed } from '../connections.queries.ts';
import { ConnectionHead } from './ConnectionHead.tsx';

export function Feeds() {
  const { data } = useQuery({ ...feedsQuery, refetchInterval: ({ state }) => feedsPollMs(state.data?.results) });
  if (!data) return null;
  return (
    <section aria-labelledby="feeds" style={{ marginTop: 24 }}>
      <h2 id="feeds" style={{ margin: '0 0 8px', fontSize: 14, fontWeight: 600 }}>
        Feeds for all clients
      </h2>
      <Rows aria-label="Feeds for all clients">
        {data.results.map((feed) => (
          <FeedRow key={feed.kind} feed={feed} />
        ))}
      </Rows>
    </section>
  );
}

function FeedRow({ feed }: { feed: AdvisoryFeed }) {
  const { client, timeZone } = useScope();
  const { title, publisher, url, state, error, errorAt } = feed;
  const at = (instant: string | null) => instant && <RelativeTime at={instant} timeZone={timeZone} />;
  return (
    <Row aria-label={title}>
      <div className="fields" style={{ display: 'grid', gap: 10 }}>
        <ConnectionHead name={title} state={state} sort="feed">
          {publisher} · <VisibleText text={url} />
        </ConnectionHead>
        <DefinitionList
          minWidth={150}
          facts={[
            { name: 'Last successful read', value: at(feed.readAt) },
            { name: 'Next read', value: at(feed.nextAt) },
            {
              name: 'Entries',
              value: <AppLink href={paths.vulnerability({ client, tab: 'sources' })}>{exact(feed.entries)}</AppLink>,
            },
            { name: feed.kind === 'epss' ? 'Scores of' : 'Newest listing', value: at(feed.newestAt) },
          ]}
        />
        {feed.isSimulated && <Note>Simulated in this demo: its values are invented, and marked so at each finding.</Note>}
        {error && (
          <Note tone="warning">
            <VisibleText text={error} /> {at(errorAt)}
          </Note>
        )}
      </div>
      <Actions feed={feed} />
    </Row>
  );
}

function Actions({ feed: { kind, title, url, state, ...feed } }: { feed: AdvisoryFeed }) {
  const [isChanging, setChanging] = useState(false);
  const test = useTestFeed();
  const change = useChangeFeed();
  const isOn = state !== 'paused';
  return (
    <span className="buttons" style={{ flexWrap: 'wrap' }}>
      <Button
        size="small"
        aria-label={`Test ${title}`}
        loading={test.isPending}
        onClick={() => test.mutate({ params: { kind }, body: { url } })}
      >
        Test
      </Button>
      <Button
        size="small"
        aria-label={`${isOn ? 'Pause' : 'Turn on'} ${title}`}
        loading={change.isPending}
        onClick={() => change.mutate({ params: { kind }, body: { isOn: !isOn, url } })}
      >
        {isOn ? 'Pause' : 'Turn on'}
      </Button>
      <Button size="small" aria-label={`Change address of ${title}`} onClick={() => setChanging(true)}>
        Change address
      </Button>
      {isChanging && <ChangeAddress feed={{ kind, title, url, state, ...feed }} onClose={() => setChanging(false)} />}
    </span>
  );
}

interface Values {
  url: string;
}

function ChangeAddress({ feed, onClose }: { feed: AdvisoryFeed; onClose: () => void }) {
  const { kind, title, publisher, documentation, state } = feed;
  const change = useChangeFeed();
  const test = useTestFeed(false);
  const [result, setResult] = useState<AnswerOf<typeof advisoryFeedsApi.test>>();
  const form = useForm<Values, unknown, Values>({
    defaultValues: { url: feed.isOwnAddress ? '' : feed.url },
    resolver: resolverOf<Values, unknown>(advisoryFeedsApi.test.body),
  });
  const attempt = savingForm(form, async (run: () => Promise<unknown>) => {
    setResult(undefined);
    await run();
  });
  const save = ({ url }: Values) =>
    attempt(async () => {
      await change.mutateAsync({ params: { kind }, body: { isOn: state !== 'paused', url } });
      onClose();
    });
  const tryOut = () => attempt(async () => setResult(await test.mutateAsync({ params: { kind }, body: form.getValues() })));
  return (
    <FormDialog title={`Address of ${title}`} form={form} onSave={save} saveText="Save" onClose={onClose}>
      <p style={{ margin: 0 }}>
        A mirror of the file by{' '}
        <a href={documentation} target="_blank" rel="noreferrer">
          {publisher}
        </a>
        , at a public https address.
      </p>
      <TextInput name="url" label="Address" hint={`Empty for the address of ${publisher}`} maxLength={2_000} />
      <TestConnection isPending={test.isPending} onTest={tryOut} />
      {result && (
        <Note role="alert">
          {exact(result.entries)} entries can be read{result.newest && `, the newest of ${result.newest}`}.
        </Note>
      )}
    </FormDialog>
  );
}
