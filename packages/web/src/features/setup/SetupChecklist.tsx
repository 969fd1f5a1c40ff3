/** Setup checklist: steps that check themselves, each with where it is done. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { SetupStep } from '@parapet/contract/setup.ts';
import { useQuery } from '@tanstack/react-query';
import { CheckCircleRounded } from '../../kit/icons/CheckCircleRounded.tsx';
import { RadioButtonUncheckedRounded } from '../../kit/icons/RadioButtonUncheckedRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { Loaded } from '../../lib/Loaded.tsx';
import { useScope } from '../../lib/scope.ts';
import { TestAttack } from './parts/TestAttack.tsx';
import { setupQuery, useConfirmStep, useTestMail } from './setup.queries.ts';
import { stepText } from './steps.ts';

const Steps = styled('ol')({
  margin: 0,
  padding: '0 16px 8px',
  listStyle: 'none',
  '& > li': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '4px 12px',
    padding: '10px 0',
    borderTop: `1px solid ${palette.divider}`,
  },
  '& > li:first-of-type': { borderTop: 0 },
  '& > li > svg': { flex: 'none', fontSize: 22, color: palette.text.secondary },
  '& > li[data-done] > svg': { color: palette.success.main },
  '& .text': { flex: '1 1 260px', minWidth: 0, fontSize: 13 },
  '& .text > strong': { display: 'block', fontSize: 14, fontWeight: 600 },
  '& .text > span': { color: palette.text.secondary },
  '& .do': { display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'center' },
});

/** `client`: 0 for the caller’s own organisation. */
export function SetupChecklist({ client, isPartner }: { client: number; isPartner: boolean }) {
  const query = useQuery(setupQuery(client));
  const steps = query.data?.steps ?? [];
  return (
    <Loaded query={query} what="the checklist" lines={6} isEmpty={false} empty="">
      <Steps aria-label="Setup steps">
        {steps.map((step) => (
          <Step key={step.id} step={step} client={client} isPartner={isPartner} />
        ))}
      </Steps>
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
  const { title, text, link, second } = stepText(id, { client, ownOrganisation: who.organisationId, isPartner });
  const confirm = useConfirmStep();
  const testMail = useTestMail();
  return (
    <li data-done={isDone || undefined}>
      {isDone ? <CheckCircleRounded titleAccess="Done" /> : <RadioButtonUncheckedRounded titleAccess="Open" />}
      <div className="text">
        <strong>{title}</strong>
        <span>{text}</span> {note && <span role={id === 'source' ? 'status' : undefined}>{note}</span>}
      </div>
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
            onClick={() => confirm.mutate({ params: { client: 0 }, body: { step: 'backup', isConfirmed: !isDone } })}
          >
            {isDone ? 'Undo' : 'Confirm'}
          </Button>
        )}
        {id === 'attack' && !isPartner && <TestAttack client={client || who.organisationId} />}
        {[link, second].map(
          (each) =>
            each && (
              <Button key={each.text} size="small" component={AppLink} href={each.href}>
                {each.text}
              </Button>
            ),
        )}
      </div>
    </li>
  );
}
