/** All about one request: what it is, what it waits for, what to do by hand, who does it, the file that it brought, its history. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ResponseDetail, responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { type ReactNode, useId, useState } from 'react';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Timeline } from '../../../kit/Timeline.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { download } from '../../../lib/download.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { isOfDevice } from '../responseDraft.ts';
import { approvalText, isPending, stateText } from '../responseTexts.ts';
import { ResponseActions } from './ResponseActions.tsx';
import { StateIcon, StateMark, ViaMark } from './ResponseMarks.tsx';

const Body = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'grid',
    gap: 20,
    gridTemplateColumns: 'minmax(0, 1fr)',
    '& section': { display: 'grid', gap: 10, paddingTop: 16, borderTop: `1px solid ${palette.divider}` },
    '& section > *': { minWidth: 0 },
    '& h2': { margin: 0, fontSize: 14, lineHeight: '20px', fontWeight: 600 },
    '& .steps': { margin: 0, paddingLeft: 20, fontSize: 13, lineHeight: '20px', overflowWrap: 'anywhere' },
    '& .steps > li': { padding: '2px 0' },
    '& .said': { margin: 0, fontSize: 13, color: palette.text.secondary, overflowWrap: 'anywhere' },
    '& .doing': { display: 'grid', gap: 8 },
  };
});

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

const stepLabel = (state: ResponseDetail['steps'][number]['state']): string =>
  state === 'approval'
    ? 'Approved by one person'
    : state === 'refusal'
      ? 'Refused'
      : state === 'note'
        ? 'Note'
        : stateText[state].word;

const agentLabel = {
  online: 'Online',
  stale: 'Late: it has not checked in for a while',
  silent: 'Silent: it gets the task when it is back',
  revoked: 'Revoked: it takes no tasks any more',
} as const;

export function ResponseDetails({ detail, onUndone }: { detail: ResponseDetail; onUndone: (id: number) => void }) {
  const { timeZone, may } = useScope();
  const { agent, caseID, file } = detail;
  const waiting = approvalText(detail.approvalsNeeded);
  const device = detail.deviceName ?? (isOfDevice(detail.action) ? detail.target : null);
  const when = (at: string) => <AbsoluteTime at={at} timeZone={timeZone} />;
  return (
    <Body>
      <div className="doing">
        {waiting && (
          <Note tone="warning">
            {waiting}. <VisibleText text={detail.rule} />
          </Note>
        )}
        <ResponseActions row={detail} onUndone={onUndone} />
      </div>
      <DefinitionList
        minWidth={176}
        facts={[
          { name: 'State', value: <StateMark state={detail.state} /> },
          { name: 'Done by', value: <ViaMark via={detail.via} /> },
          { name: 'What that means', value: stateText[detail.state].meaning, isWide: true },
          {
            name: 'Last said',
            value: detail.detail !== detail.rule && <VisibleText text={detail.detail} keepLines />,
            isWide: true,
          },
          {
            name: 'Device',
            value: device && (
              <AppLink href={paths.device(detail.clientOrganizationID, device)}>
                <VisibleText text={device} />
              </AppLink>
            ),
          },
          {
            name: 'Target',
            value: !isOfDevice(detail.action) && <Mono text={detail.target} copyLabel="Copy the target" />,
            isWide: detail.action === 'collectFile',
          },
          { name: 'Client', value: <VisibleText text={detail.clientOrganizationName} /> },
          { name: 'Case', value: caseID !== null && <AppLink href={paths.case(caseID)}>Case {caseID}</AppLink> },
          { name: 'Asked for by', value: <VisibleText text={detail.requestedBy || 'The portal'} /> },
          { name: 'Asked for', value: when(detail.requestedTime) },
          { name: 'Why', value: detail.note && <VisibleText text={detail.note} keepLines />, isWide: true },
          { name: 'Expires', value: isPending(detail.state) && when(detail.expiresAt) },
          {
            name: detail.state === 'released' ? 'Was to be released' : 'Released by itself',
            value: detail.releaseAt && when(detail.releaseAt),
          },
          { name: 'Approval', value: !waiting && detail.rule && <VisibleText text={detail.rule} />, isWide: true },
        ].map((fact) => ({ ...fact, value: fact.value || null }))}
      />
      {detail.instructions.length > 0 && isPending(detail.state) && (
        <Part title="What to do by hand">
          <ol className="steps">
            {detail.instructions.map((text) => (
              <li key={text}>
                <VisibleText text={text} />
              </li>
            ))}
          </ol>
        </Part>
      )}
      {agent && (
        <Part title="The agent">
          <DefinitionList
            minWidth={176}
            facts={[
              { name: 'State', value: agentLabel[agent.state] },
              {
                name: 'Last check-in',
                value: agent.lastCheckInAt ? <RelativeTime at={agent.lastCheckInAt} timeZone={timeZone} /> : 'None yet',
              },
              { name: 'Agent', value: `#${agent.agentID}` },
              { name: 'Task', value: agent.sequence === 0 ? 'Not given yet' : `Its number ${agent.sequence}` },
            ]}
          />
        </Part>
      )}
      {file && <File id={detail.id} file={file} mayTake={may('responses:write')} />}
      <Part title="History">
        <Timeline
          timeZone={timeZone}
          moments={detail.steps.map((step, index) => ({
            key: `${index}`,
            at: step.time,
            icon:
              step.state === 'note' ? undefined : (
                <StateIcon state={step.state === 'approval' ? 'approved' : step.state === 'refusal' ? 'failed' : step.state} />
              ),
            title: (
              <>
                {stepLabel(step.state)}
                {step.actor && (
                  <>
                    {' · '}
                    <VisibleText text={step.actor} />
                  </>
                )}
              </>
            ),
            text: step.detail && <VisibleText text={step.detail} keepLines />,
          }))}
        />
      </Part>
    </Body>
  );
}

function File({ id, file, mayTake }: { id: number; file: NonNullable<ResponseDetail['file']>; mayTake: boolean }) {
  const [isBusy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    try {
      const name = file.path.split(/[/\\]/).at(-1)?.slice(0, 100) || 'file';
      // Named as what it is not, so that nothing opens it by a click.
      await download(responseRequestsApi.file, { params: { id } }, `${name}.collected`);
      toast.success('The file was saved. It may be harmful: open it only where that does no damage.', 'case');
    } catch (error) {
      toast.error(`The file could not be fetched. ${error instanceof Error ? error.message : ''}`, 'case');
    }
    setBusy(false);
  };
  const reason = mayTake
    ? file.isStored
      ? undefined
      : 'Its bytes are not here yet.'
    : 'Collected files are for those who may respond.';
  return (
    <Part title="The collected file">
      <DefinitionList
        minWidth={176}
        facts={[
          { name: 'Path', value: <Mono text={file.path} copyLabel="Copy the path" />, isWide: true },
          { name: 'SHA-256', value: file.sha256 && <Mono text={file.sha256} copyLabel="Copy the hash" />, isWide: true },
          { name: 'Size', value: `${exact(file.size)} bytes` },
        ]}
      />
      <p className="said">{reason ?? 'The portal never opens it. Whoever takes it is named in the audit log.'}</p>
      <div>
        <Button size="small" variant="outlined" loading={isBusy} disabled={reason !== undefined} onClick={() => void take()}>
          Download
        </Button>
      </div>
    </Part>
  );
}
