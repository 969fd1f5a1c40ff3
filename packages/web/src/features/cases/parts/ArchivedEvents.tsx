/** Archived events of the client, brought back for a case: days are chosen, loaded by a job, searched like others, and released. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type Recall, recallsApi } from '@parapet/contract/recalls.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { showFormError } from '../../../lib/problems.ts';
import { queryOptionsOf } from '../../../lib/query.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';

const List = styled('ul')({
  listStyle: 'none',
  margin: '0 0 16px',
  padding: 0,
  fontSize: 13,
  '& > li': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '4px 12px',
    padding: '8px 0',
    borderBottom: `1px solid ${palette.divider}`,
  },
  '& .text': { flex: '1 1 260px', minWidth: 0 },
  '& .text > span': { color: palette.text.secondary },
});

const pollMs = 5_000;
interface Props {
  caseId: number;
  client: number;
  timeZone: string;
}

/** Nothing for clients without an archive. */
export function ArchivedEvents({ caseId, client, timeZone }: Props) {
  const { data } = useQuery({
    ...queryOptionsOf(recallsApi.list, { params: { caseId } }),
    refetchInterval: ({ state }) => (state.data?.recalls.some((recall) => recall.state === 'loading') ? pollMs : false),
  });
  const release = useApiMutation(recallsApi.release, { invalidates: [recallsApi.list], success: 'Events released' });
  if (!data || (data.archive.firstDay === null && data.recalls.length === 0)) return null;
  const { firstDay, lastDay, events } = data.archive;
  return (
    <Section
      title="Archived events"
      note={firstDay ? `${counted(events, 'event')} of ${firstDay} to ${lastDay}` : 'Archive is empty'}
    >
      {data.recalls.length > 0 && (
        <List aria-label="Brought back">
          {data.recalls.map((recall) => (
            <li key={recall.id}>
              <div className="text">
                {recall.firstDay} to {recall.lastDay}: {stateText(recall)}{' '}
                <span>
                  Requested by {recall.requestedBy}.
                  {recall.state !== 'released' && (
                    <>
                      {' '}
                      Until <AbsoluteTime at={recall.expiresAt} timeZone={timeZone} />.
                    </>
                  )}{' '}
                  {recall.failure}
                </span>
              </div>
              {recall.state === 'ready' && <AppLink href={paths.events({ client, ...daysOf(recall) })}>Search events</AppLink>}
              {recall.state !== 'released' && (
                <Button
                  size="small"
                  variant="outlined"
                  loading={release.isPending}
                  onClick={() => release.mutate({ params: { caseId, id: recall.id } })}
                >
                  Release
                </Button>
              )}
            </li>
          ))}
        </List>
      )}
      {firstDay && lastDay && <BringBack caseId={caseId} day={lastDay} />}
    </Section>
  );
}

function stateText({ state, files, loadedFiles, events }: Recall): string {
  if (state === 'released') return 'released.';
  return state === 'ready' ? `${counted(events, 'event')}, searchable.` : `loading, ${loadedFiles} of ${counted(files, 'file')}.`;
}

/** A recall is never longer than a search. */
const daysOf = ({ firstDay, lastDay }: Recall) => ({
  from: `${firstDay}T00:00:00.000Z`,
  until: new Date(Date.parse(lastDay) + dayMs).toISOString(),
});

interface Values {
  firstDay: string;
  lastDay: string;
  keepDays: number;
}

function BringBack({ caseId, day }: { caseId: number; day: string }) {
  const request = useApiMutation(recallsApi.request, {
    invalidates: [recallsApi.list],
    success: 'Events are being brought back',
    failure: false,
  });
  const form = useForm<Values>({
    defaultValues: { firstDay: day, lastDay: day, keepDays: 14 },
    resolver: resolverOf<Values, unknown>(recallsApi.request.body),
  });
  return (
    <Form
      form={form}
      label="Bring back events"
      saveText="Bring back"
      isNew
      onSave={(body) =>
        request.mutateAsync({ params: { caseId }, body }).then(
          () => {},
          (error) => showFormError(form, error),
        )
      }
    >
      <Fields>
        <TextInput name="firstDay" label="First day (UTC)" placeholder="2026-01-31" isRequired />
        <TextInput name="lastDay" label="Last day (UTC)" placeholder="2026-01-31" isRequired />
        <TextInput name="keepDays" label="Keep for (days)" type="number" isRequired />
      </Fields>
    </Form>
  );
}
