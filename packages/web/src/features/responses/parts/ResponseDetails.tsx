/** Details of a request: state, pending approvals, manual steps, agent, collected file and history. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ResponseDetail, responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { type ReactNode, useId, useState } from 'react';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
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

const Body = styled('div')({
  display: 'grid',
  gap: 20,
  gridTemplateColumns: 'minmax(0, 1fr)',
  '& section': { display: 'grid', gap: 10, paddingTop: 16, borderTop: `1px solid ${palette.divider}` },
  '& section > *': { minWidth: 0 },
  '& h2': { margin: 0, fontSize: 14, lineHeight: '20px', fontWeight: 600 },
  '& .steps': { margin: 0, paddingLeft: 20, fontSize: 13, lineHeight: '20px', overflowWrap: 'anywhere' },
  '& .steps > li': { padding: '2px 0' },
  '& .note': { margin: 0, fontSize: 13, color: palette.text.secondary, overflowWrap: 'anywhere' },
  '& .actions': { display: 'grid', gap: 8 },
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
    ? 'Approved by 1 person'
    : state === 'refusal'
      ? 'Refused'
      : state === 'note'
        ? 'Note'
        : stateText[state].word;

const agentLabel = {
  online: 'Online',
  stale: 'Late: check-in overdue',
  silent: 'Silent: gets the task when it reconnects',
  revoked: 'Revoked: no longer accepts tasks',
} as const;

export function ResponseDetails({ detail, onUndone }: { detail: ResponseDetail; onUndone: (id: number) => void }) {
  const { timeZone, may } = useScope();
  const { agent, caseID, file } = detail;
  const waiting = approvalText(detail.approvalsNeeded);
  const device = detail.deviceName ?? (isOfDevice(detail.action) ? detail.target : null);
  const when = (at: string) => <AbsoluteTime at={at} timeZone={timeZone} />;
  return (
    <Body>
      <div className="actions">
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
          { name: 'Executed by', value: <ViaMark via={detail.via} /> },
          { name: 'Meaning', value: stateText[detail.state].meaning, isWide: true },
          {
            name: 'Last message',
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
            value: !isOfDevice(detail.action) && <Mono text={detail.target} copyLabel="Copy target" />,
            isWide: detail.action === 'collectFile',
          },
          { name: 'Client', value: <VisibleText text={detail.clientOrganizationName} /> },
          { name: 'Case', value: caseID !== null && <AppLink href={paths.case(caseID)}>Case {caseID}</AppLink> },
          { name: 'Requested by', value: <VisibleText text={detail.requestedBy || 'The portal'} /> },
          { name: 'Requested', value: when(detail.requestedTime) },
          { name: 'Reason', value: detail.note && <VisibleText text={detail.note} keepLines />, isWide: true },
          { name: 'Expires', value: isPending(detail.state) && when(detail.expiresAt) },
          {
            name: detail.state === 'released' ? 'Scheduled release' : 'Automatic release',
            value: detail.releaseAt && when(detail.releaseAt),
          },
          { name: 'Approval', value: !waiting && detail.rule && <VisibleText text={detail.rule} />, isWide: true },
        ].map((fact) => ({ ...fact, value: fact.value || null }))}
      />
      {detail.instructions.length > 0 && isPending(detail.state) && (
        <Part title="Manual steps">
          <ol className="steps">
            {detail.instructions.map((text) => (
              <li key={text}>
                <VisibleText text={text} />
              </li>
            ))}
          </ol>
        </Part>
      )}
      {agent && <Agent agent={agent} timeZone={timeZone} />}
      {detail.vendors.length > 0 && <Vendors vendors={detail.vendors} />}
      {file && <File id={detail.id} file={file} mayDownload={may('responses:write')} />}
      <History steps={detail.steps} timeZone={timeZone} />
    </Body>
  );
}

const vendorLabel: Record<ResponseDetail['vendors'][number]['state'], string> = {
  queued: 'Queued',
  sent: 'Waiting for the service to confirm',
  verified: 'Verified: the service shows the effect',
  failed: 'Failed',
  unknown: 'Account not known there',
  expired: 'Not confirmed in time',
};

function Vendors({ vendors }: { vendors: ResponseDetail['vendors'] }) {
  return (
    <Part title="Connections">
      <DefinitionList
        minWidth={176}
        facts={vendors.map(({ place, state, detail }) => ({
          name: place,
          value: (
            <>
              {vendorLabel[state]}
              {detail && (
                <>
                  . <VisibleText text={detail} />
                </>
              )}
            </>
          ),
          isWide: true,
        }))}
      />
    </Part>
  );
}

function Agent({ agent, timeZone }: { agent: NonNullable<ResponseDetail['agent']>; timeZone: string }) {
  return (
    <Part title="Agent">
      <DefinitionList
        minWidth={176}
        facts={[
          { name: 'State', value: agentLabel[agent.state] },
          {
            name: 'Last check-in',
            value: <TimeOrNever at={agent.lastCheckInAt} timeZone={timeZone} />,
          },
          { name: 'Agent', value: `#${agent.agentID}` },
          { name: 'Task', value: agent.sequence === 0 ? 'Not dispatched yet' : `No. ${agent.sequence}` },
        ]}
      />
    </Part>
  );
}

function History({ steps, timeZone }: { steps: ResponseDetail['steps']; timeZone: string }) {
  return (
    <Part title="History">
      <Timeline
        timeZone={timeZone}
        moments={steps.map((step, index) => ({
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
  );
}

function File({ id, file, mayDownload }: { id: number; file: NonNullable<ResponseDetail['file']>; mayDownload: boolean }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const name = file.path.split(/[/\\]/).at(-1)?.slice(0, 100) || 'file';
      // The extension keeps operating systems from opening the file on a double-click.
      await download(responseRequestsApi.file, { params: { id } }, `${name}.collected`);
      toast.success('File downloaded. It may be malicious: open it in an isolated environment only.', 'case');
    } catch (error) {
      toast.error(`Couldn’t download the file. ${error instanceof Error ? error.message : ''}`, 'case');
    }
    setBusy(false);
  };
  const reason = mayDownload
    ? file.isStored
      ? undefined
      : 'The file has not been transferred yet.'
    : 'Only users who may respond can download collected files.';
  return (
    <Part title="Collected file">
      <DefinitionList
        minWidth={176}
        facts={[
          { name: 'Path', value: <Mono text={file.path} copyLabel="Copy path" />, isWide: true },
          { name: 'SHA-256', value: file.sha256 && <Mono text={file.sha256} copyLabel="Copy hash" />, isWide: true },
          { name: 'Size', value: `${exact(file.size)} bytes` },
        ]}
      />
      <p className="note">{reason ?? 'The portal never opens it. Downloads are audited.'}</p>
      <div>
        <Button size="small" variant="outlined" loading={isBusy} disabled={reason !== undefined} onClick={() => void save()}>
          Download
        </Button>
      </div>
    </Part>
  );
}
