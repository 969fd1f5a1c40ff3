/** Adds a feed or changes its address and credentials, with a test of the connection. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import {
  type IntelligenceFeed,
  type IntelligenceFeedKind,
  type intelligenceFeedsApi,
  newIntelligenceFeed,
} from '@parapet/contract/intelligenceFeeds.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { DemoValues } from '../../../kit/DemoValues.tsx';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { CheckInput, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { TestConnection } from '../../../kit/TestConnection.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { useChangeFeed, useCreateFeed, useTestFeed } from '../intelligence.queries.ts';

interface Values {
  kind: IntelligenceFeedKind;
  name: string;
  url: string;
  collection: string;
  user: string;
  secret: string;
  tags: string;
  isPublishedOnly: boolean;
}

const empty: Values = {
  kind: 'taxii',
  name: '',
  url: '',
  collection: '',
  user: '',
  secret: '',
  tags: '',
  isPublishedOnly: true,
};
const kinds: { value: IntelligenceFeedKind; label: string }[] = [
  { value: 'taxii', label: 'TAXII 2.1' },
  { value: 'misp', label: 'MISP' },
];

interface FeedFormProps {
  feed: IntelligenceFeed | undefined;
  /** Values of the demo's simulated servers. */
  examples: AnswerOf<typeof intelligenceFeedsApi.list>['examples'];
  onClose: () => void;
}

export function FeedForm({ feed, examples, onClose }: FeedFormProps) {
  const create = useCreateFeed();
  const change = useChangeFeed();
  const test = useTestFeed();
  const [result, setResult] = useState<AnswerOf<typeof intelligenceFeedsApi.test>>();
  const form = useForm<Values, unknown, Values>({
    defaultValues: feed
      ? {
          kind: feed.kind,
          name: feed.name,
          url: feed.url,
          collection: feed.collection,
          user: feed.user,
          secret: '',
          tags: feed.tags,
          isPublishedOnly: feed.isPublishedOnly,
        }
      : empty,
    resolver: resolverOf<Values, unknown>(newIntelligenceFeed),
  });
  const kind = form.watch('kind');
  const isTaxii = kind === 'taxii';
  const example = feed ? undefined : examples[kind];
  const attempt = savingForm(form, async (run: () => Promise<unknown>) => {
    setResult(undefined);
    await run();
  });
  const save = ({ kind: ofNew, name, ...values }: Values) =>
    attempt(async () => {
      if (feed) await change.mutateAsync({ params: { id: feed.id }, body: values });
      else await create.mutateAsync({ body: { kind: ofNew, name, ...values } });
      onClose();
    });
  const tryOut = () =>
    attempt(async () => {
      const { name: _name, ...body } = form.getValues();
      setResult(await test.mutateAsync({ body }));
    });
  const secretHint = feed?.hasSecret ? 'Empty to keep the stored one. A test needs it.' : undefined;
  return (
    <FormDialog title={feed ? 'Change feed' : 'Add feed'} form={form} onSave={save} onClose={onClose}>
      <SelectInput name="kind" label="Kind" choices={kinds} isReadOnly={feed !== undefined} />
      {example && (
        <DemoValues
          title={kinds.find(({ value }) => value === kind)!.label}
          noun="feed"
          onFill={() => form.reset({ ...form.getValues(), ...example }, { keepDefaultValues: true })}
        />
      )}
      <TextInput name="name" label="Name" hint="Its list has the same name" maxLength={200} isReadOnly={feed !== undefined} />
      <TextInput name="url" label={isTaxii ? 'API root' : 'Address'} placeholder="https://" maxLength={2_000} />
      {isTaxii && <TextInput name="collection" label="Collection ID" maxLength={200} />}
      {isTaxii && <TextInput name="user" label="User name" hint="Empty to send a token" maxLength={200} />}
      <TextInput
        name="secret"
        type="password"
        autoComplete="off"
        label={isTaxii ? 'Password or token' : 'Key'}
        hint={secretHint}
        maxLength={2_000}
      />
      {!isTaxii && <TextInput name="tags" label="Tags" hint="Separated by commas; empty for all" maxLength={1_000} />}
      {!isTaxii && <CheckInput name="isPublishedOnly" label="Published events only" />}
      <TestConnection isPending={test.isPending} onTest={tryOut} />
      {result && (
        <Note role="alert">
          {counted(result.indicators, 'indicator')} on the first page{result.hasMore && ', more follow'}.
          {result.skipped > 0 && ` ${counted(result.skipped, 'entry', 'entries')} would be left out.`}
        </Note>
      )}
    </FormDialog>
  );
}
