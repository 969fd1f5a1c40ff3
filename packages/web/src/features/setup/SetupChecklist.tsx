/** Setup checklist: steps that check themselves, each with where it is done. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import type { SetupStep } from '@parapet/contract/setup.ts';
import { useQuery } from '@tanstack/react-query';
import { Checklist, ChecklistStep } from '../../kit/Checklist.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { Loaded } from '../../lib/Loaded.tsx';
import { useScope } from '../../lib/scope.ts';
import { TestAttack } from './parts/TestAttack.tsx';
import { setupQuery, useConfirmStep, useTestMail } from './setup.queries.ts';
import { stepText } from './steps.ts';

const Inside = styled('div')({
  padding: '0 16px 8px',
  '& .do': { display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'center' },
});

/** `client`: 0 for the caller’s own organisation. */
export function SetupChecklist({ client, isPartner }: { client: number; isPartner: boolean }) {
  const query = useQuery(setupQuery(client));
  const steps = query.data?.steps ?? [];
  return (
    <Loaded query={query} what="the checklist" lines={6} isEmpty={false} empty="">
      <Inside>
        <Checklist aria-label="Setup steps">
          {steps.map((step) => (
            <Step key={step.id} step={step} client={client} isPartner={isPartner} />
          ))}
        </Checklist>
      </Inside>
    </Loaded>
  );
}

function Step({
  step: { id, isDone, note, canConfirm },
  client,
  isPartner,
}: {
  step: SetupStep;
  client: number;
  isPartner: boolean;
}) {
  const { who } = useScope();
  const { title, text, links = [] } = stepText(id, { client, ownOrganisation: who.organisationId, isPartner });
  const confirm = useConfirmStep();
  const testMail = useTestMail();
  return (
    <ChecklistStep title={title} text={text} isDone={isDone} state={note} isNote={id !== 'source'}>
      <div className="do">
        {id === 'mail' && (
          <Button size="small" onClick={() => testMail.mutate({})} loading={testMail.isPending}>
            Send test email
          </Button>
        )}
        {canConfirm && (
          <Button
            size="small"
            loading={confirm.isPending}
            onClick={() => confirm.mutate({ params: { client: allClients }, body: { step: 'backup', isConfirmed: !isDone } })}
          >
            {isDone ? 'Undo' : 'Confirm'}
          </Button>
        )}
        {id === 'attack' && !isPartner && <TestAttack client={client || who.organisationId} />}
        {links.map((link) => (
          <Button key={link.text} size="small" component={AppLink} href={link.href}>
            {link.text}
          </Button>
        ))}
      </div>
    </ChecklistStep>
  );
}
