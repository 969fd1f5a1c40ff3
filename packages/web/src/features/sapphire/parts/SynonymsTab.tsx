/** Words of an organisation’s questions with the words as which Sapphire reads them. */
import Button from '@mui/material/Button';
import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { useSearchState } from '../../../lib/address.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { pagingIn, synonymsQuery, useAddSynonym, useRemoveSynonym } from '../sapphire.queries.ts';
import { Column, Paged } from './Paged.tsx';

export function SynonymsTab() {
  const { client, clients, timeZone } = useScope();
  const { search } = useSearchState();
  const paging = pagingIn(search);
  const query = useQuery(synonymsQuery(client, paging));
  const remove = useRemoveSynonym();
  const busy = remove.isPending ? remove.variables.params.synonym : undefined;
  const nameOf = (id: number) => clients.find((each) => each.id === id)?.name ?? `Organisation ${id}`;
  return (
    <Column>
      {client !== 0 && <NewSynonym key={client} client={client} whose={nameOf(client)} />}
      <Paged
        query={query}
        label="Synonyms"
        paging={paging}
        empty={{
          title: 'No synonyms yet',
          text:
            client === 0
              ? 'Select a client to add words that its people use, such as “crates” for “devices”.'
              : 'Add words that its people use, such as “crates” for “devices”.',
        }}
      >
        {(row) => (
          <Row key={row.id} aria-label={visibleText(row.from)}>
            <div className="fields">
              <p className="question">
                <VisibleText text={row.from} /> → <VisibleText text={row.to} />
              </p>
              <p className="facts">
                {!row.isUsed && <strong>Not used: built-in words are never overridden</strong>}
                <span>
                  By <VisibleText text={row.author} />, <RelativeTime at={row.createdAt} timeZone={timeZone} />
                </span>
                {client === 0 && (
                  <span>
                    <VisibleText text={nameOf(row.clientOrganizationID)} />
                  </span>
                )}
              </p>
            </div>
            <div className="buttons">
              <Button
                size="small"
                aria-label={`Remove synonym ${visibleText(row.from)}`}
                disabled={busy === row.id}
                onClick={() => remove.mutate({ params: { client: row.clientOrganizationID, synonym: row.id } })}
              >
                Remove
              </Button>
            </div>
          </Row>
        )}
      </Paged>
    </Column>
  );
}

interface Values {
  from: string;
  to: string;
}
const empty: Values = { from: '', to: '' };

function NewSynonym({ client, whose }: { client: number; whose: string }) {
  const add = useAddSynonym();
  const form = useForm<Values>({ defaultValues: empty, resolver: resolverOf<Values, unknown>(sapphireApi.addSynonym.body) });
  return (
    <Card
      title="New synonym"
      purpose={`For ${visibleText(whose)} and the organisations below it. Built-in words are never overridden.`}
    >
      <Form
        form={form}
        label="New synonym"
        isNew
        saveText="Add synonym"
        onSave={(body) =>
          add.mutateAsync({ params: { client }, body }).then(
            () => form.reset(empty),
            (error) => showFormError(form, error),
          )
        }
      >
        <Fields>
          <TextInput name="from" label="Word or phrase" isRequired hint="As people write it, such as crates." />
          <TextInput name="to" label="Read as" isRequired hint="Words that Sapphire understands, such as devices." />
        </Fields>
      </Form>
    </Card>
  );
}
