/**
 * Bell of the toolbar: escalations with a client’s answer that no analyst has seen, and finds of searches of the past that the person has not seen. A
 * toast announces a new one; no email is needed.
 */
import Badge from '@mui/material/Badge';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Popover from '@mui/material/Popover';
import { styled } from '@mui/material/styles';
import { allClients, providerId } from '@parapet/contract/access.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { PastSearch } from '@parapet/contract/pastSearches.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NotificationsNoneRounded } from '../../kit/icons/NotificationsNoneRounded.tsx';
import { counted } from '../../kit/numbers.ts';
import { palette } from '../../kit/palette.ts';
import { RelativeTime } from '../../kit/RelativeTime.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { paths } from '../../lib/paths.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useScope } from '../../lib/scope.ts';
import { toast } from '../../lib/toast.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { useAnnounced } from './announced.ts';
import { findsPath, findsText, usePastFinds } from './pastFinds.ts';

const pollMs = 20_000;
const answerLabel = { benign: 'expected', malicious: 'not expected' } as const;

const List = styled('ul')({
  width: 'min(380px, calc(100vw - 32px))',
  maxHeight: 'min(480px, 70dvh)',
  overflowY: 'auto',
  margin: 0,
  padding: '8px 0',
  listStyle: 'none',
  fontSize: 13,
  '& > li': { display: 'grid', gap: 4, padding: '8px 16px', overflowWrap: 'anywhere' },
  '& > li + li': { borderTop: `1px solid ${palette.divider}` },
  '& .foot': { display: 'flex', alignItems: 'center', gap: 8, fontSize: 12, color: palette.text.secondary },
  '& .foot > button': { marginLeft: 'auto' },
});

/** Answers of the clients in the scope. */
export const answersQuery = queryOptionsOf(casesApi.answers, { params: { client: allClients } });

export function ClientAnswers({ isNarrow }: { isNarrow: boolean }) {
  const { timeZone, may } = useScope();
  const hasAnswers = may('cases:write');
  const { data } = useQuery({ ...answersQuery, enabled: hasAnswers, refetchInterval: pollMs });
  const { finds, markSeen } = usePastFinds();
  const seen = useApiMutation(casesApi.answerSeen, {
    invalidates: [casesApi.answers, casesApi.detail],
    failure: 'Couldn’t mark the answer as seen.',
  });
  const [anchor, setAnchor] = useState<HTMLElement>();
  const answers = data?.results ?? [];
  useAnnounced(data?.results, keyOfAnswer, announceAnswer);
  const label = labelOf(hasAnswers, data?.total ?? 0, finds.length);
  // Phones have no room for an empty bell.
  if (isNarrow && answers.length + finds.length === 0) return null;
  return (
    <>
      <IconButton aria-label={label} title={label} aria-haspopup="dialog" onClick={(event) => setAnchor(event.currentTarget)}>
        <Badge badgeContent={(data?.total ?? 0) + finds.length || undefined} color="error" max={99}>
          <NotificationsNoneRounded />
        </Badge>
      </IconButton>
      {anchor && (
        <Popover
          open
          anchorEl={anchor}
          onClose={() => setAnchor(undefined)}
          anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
          transformOrigin={{ vertical: 'top', horizontal: 'right' }}
          slotProps={{ paper: { role: 'dialog', 'aria-label': hasAnswers ? 'Client answers and finds' : 'Finds' } }}
        >
          <List>
            {answers.length + finds.length === 0 && <li>{label}</li>}
            {answers.map(({ id, incidentID, title, clientOrganizationName, clientAnswer }) => (
              <li key={id}>
                <AppLink
                  href={paths.case(id, { tab: 'mail' })}
                  onClick={() => {
                    seen.mutate({ body: { caseID: id } });
                    setAnchor(undefined);
                  }}
                >
                  Case {incidentID}: <VisibleText text={title} />
                </AppLink>
                <span>
                  <VisibleText text={clientOrganizationName} />: {clientAnswer && answerLabel[clientAnswer.answer]}
                </span>
                <span className="foot">
                  {clientAnswer && <RelativeTime at={clientAnswer.time} timeZone={timeZone} />}
                  <Button size="small" onClick={() => seen.mutate({ body: { caseID: id } })} disabled={seen.isPending}>
                    Mark as seen
                  </Button>
                </span>
              </li>
            ))}
            {finds.map((search) => (
              <FindItem
                key={`past-${search.id}`}
                search={search}
                markSeen={() => markSeen([search.id])}
                onOpen={() => setAnchor(undefined)}
              />
            ))}
            {finds.length > 1 && (
              <li>
                <span className="foot">
                  <Button size="small" onClick={() => markSeen(finds.map(({ id }) => id))}>
                    Mark all finds as seen
                  </Button>
                </span>
              </li>
            )}
          </List>
        </Popover>
      )}
    </>
  );
}

interface FindProps {
  search: PastSearch;
  markSeen: () => void;
  onOpen: () => void;
}

function FindItem({ search, markSeen, onOpen }: FindProps) {
  const { timeZone, may, who } = useScope();
  const mayPacks = may('rulePacks:write') && who.organisationId === providerId;
  return (
    <li>
      <AppLink
        href={findsPath(search, mayPacks)}
        onClick={() => {
          markSeen();
          onOpen();
        }}
      >
        {findsText(search)}
      </AppLink>
      {search.incomplete > 0 && <span>{counted(search.incomplete, 'client')} not searched in full</span>}
      <span className="foot">
        {search.finishedTime !== null && <RelativeTime at={search.finishedTime} timeZone={timeZone} />}
        <Button size="small" onClick={markSeen}>
          Mark as seen
        </Button>
      </span>
    </li>
  );
}

function labelOf(hasAnswers: boolean, answers: number, finds: number): string {
  if (finds === 0)
    return hasAnswers ? (answers === 0 ? 'No new client answers' : counted(answers, 'new client answer')) : 'No new finds';
  const found = counted(finds, 'search with finds', 'searches with finds');
  return answers === 0 ? found : `${found}, ${counted(answers, 'new client answer')}`;
}

type Answer = { id: number; incidentID: number; clientAnswer: { answer: 'benign' | 'malicious'; time: string } | null };

const keyOfAnswer = ({ id, clientAnswer }: Answer) => `${id} ${clientAnswer?.time}`;
const announceAnswer = ({ incidentID, clientAnswer }: Answer) => {
  if (clientAnswer) toast.info(`The client answered case ${incidentID}: ${answerLabel[clientAnswer.answer]}`, 'case');
};
