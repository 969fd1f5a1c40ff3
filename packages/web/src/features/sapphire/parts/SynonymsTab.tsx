/** Words of an organisation’s questions with the words as which Sapphire reads them. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { RowList } from '../../../kit/RowList.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { pagingOf } from '../../../lib/paging.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useListState } from '../../../lib/useListState.ts';
import { sapphireList, synonymsQuery, useAddSynonym, useRemoveSynonym } from '../sapphire.queries.ts';
import { useClientName } from '../useClientName.ts';
import { Column } from './administration.styles.ts';

export function SynonymsTab() {
  const { client, timeZone } = useScope();
  const list = useListState(sapphireList);
  const query = useQuery(synonymsQuery(client, list.query));
  const remove = useRemoveSynonym();
  const busy = remove.isPending ? remove.variables.params.synonym : undefined;
  const nameOf = useClientName();
  return (
    <Column>
      {client !== allClients && <NewSynonym key={client} client={client} whose={nameOf(client)} />}
      <RowList
        query={query}
        label="Synonyms"
        what="synonyms"
        rowHeight={64}
        paging={pagingOf(list, query.data?.total)}
        empty={
          <EmptyState
            title="No synonyms yet"
            text={`${client === allClients ? 'Select a client to add' : 'Add'} words that its people use, such as “crates” for “devices”.`}
          />
        }
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
                {client === allClients && (
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
      </RowList>
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
