/** Verdict, SLA timers and actions of a case beside every tab. Disabled actions show their reason. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { concludedInvestigations, investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { type ReactNode, useState } from 'react';
import { ArrowDropDownRounded } from '../../../kit/icons/ArrowDropDownRounded.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { responsesId } from '../caseTabs.ts';
import { disabledReason, isBuiltInAccount, likeOf } from '../caseTexts.ts';
import type { CaseActions } from '../useCaseActions.tsx';
import type { Respond } from '../useRespond.tsx';
import { CaseExport } from './CaseExport.tsx';
import { CaseFacts } from './CaseFacts.tsx';
import { CaseIncidents } from './CaseIncidents.tsx';
import { CaseProposals } from './CaseProposals.tsx';
import { CaseTickets } from './CaseTickets.tsx';
import { MarkIncorrect } from './MarkIncorrect.tsx';
import { RespondButton } from './RespondButton.tsx';
import { ResponseLedger } from './ResponseLedger.tsx';
import { VerdictPanel } from './VerdictPanel.tsx';

const Inside = styled('div')({ display: 'grid', gap: 8, padding: '0 16px 16px', fontSize: 13, minWidth: 0 });
const Line = styled('div')({
  display: 'grid',
  gridTemplateColumns: '92px minmax(0, 1fr)',
  alignItems: 'center',
  gap: 8,
  '& > :first-of-type': { color: palette.text.secondary },
});
const Target = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minWidth: 0,
  '& > bdi': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
});
/** The router scrolls to it by the address’s fragment, below the toolbar and, on narrow pages, the tabs. */
const Linked = styled('div')({
  scrollMarginTop: 'calc(var(--toolbar-height, 56px) + 54px)',
});
const Row = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 });
const maxTargets = 6;

interface Props {
  detail: CaseDetail;
  timeZone: string;
  actions: CaseActions;
  respond: Respond;
  onPrint: () => void;
}

export function CaseRail({ detail, timeZone, actions, respond, onPrint }: Props) {
  const { user } = useScope();
  const [isIncorrect, setIncorrect] = useState(false);
  const { caseGeneralInfo: info, can } = detail;
  const of = likeOf(detail);
  const noWrite = disabledReason.write(can.write);
  const { devices, users } = targetsOf(detail);
  const first = detail.alerts[0];

  const menu = (name: string, value: ReactNode, reason: string | undefined, act: (anchor: Element) => void) => (
    <Line>
      <span>{name}</span>
      <span title={reason}>
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          fullWidth
          disabled={reason !== undefined}
          endIcon={<ArrowDropDownRounded />}
          aria-haspopup="menu"
          aria-label={`${name}: ${typeof value === 'string' ? value : ''}`}
          onClick={(event) => act(event.currentTarget)}
          sx={{ justifyContent: 'space-between', minWidth: 0, '&.Mui-disabled': { color: 'text.secondary' } }}
        >
          <span style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>{value}</span>
        </Button>
      </span>
    </Line>
  );
  return (
    <>
      <VerdictPanel detail={detail} />
      <Panel title="Targets">
        <Inside>
          <CaseFacts detail={detail} timeZone={timeZone} />
        </Inside>
      </Panel>
      <Panel title="Actions">
        <Inside>
          {menu('Status', statusLabel(info.status), disabledReason.changeStatus(can.changeStatus), (anchor) =>
            actions.askStatus(of, anchor),
          )}
          {menu('Investigation', investigationStatusName(info.investigationStatus), noWrite, (anchor) =>
            actions.askInvestigation(of, anchor),
          )}
          {menu('Analyst', info.analyst ?? 'Unassigned', noWrite, (anchor) => actions.askAnalyst(of, anchor))}
          {/* Shown as text, because disabled buttons have no tooltip on touch screens. */}
          {noWrite && <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{noWrite}</Box>}
          {can.write && (
            <Row>
              {info.acknowledgement === null && info.closedTime === null && (
                <Button size="small" onClick={() => actions.acknowledge(of)}>
                  Acknowledge
                </Button>
              )}
              {info.assignedToUserAccount?.id !== user.id && (
                <Button size="small" onClick={() => actions.assignToMe(of)}>
                  Assign to me
                </Button>
              )}
              {concludedInvestigations.includes(info.investigationStatus) && (
                <Button size="small" onClick={() => setIncorrect(true)}>
                  Mark as incorrect
                </Button>
              )}
            </Row>
          )}
        </Inside>
      </Panel>
      {(devices.length > 0 || users.length > 0 || detail.responses.length > 0) && (
        <Linked id={responsesId}>
          <Panel title="Response">
            <Inside>
              {devices.slice(0, maxTargets).map(({ name, isDone }) => (
                <Target key={`device ${name}`}>
                  <VisibleText text={name} />
                  <RespondButton detail={detail} kind="isolate" target={name} isDone={isDone} respond={respond} />
                </Target>
              ))}
              {users.slice(0, maxTargets).map(({ name, isDone }) => (
                <Target key={`user ${name}`}>
                  <VisibleText text={name} />
                  <RespondButton detail={detail} kind="blockUser" target={name} isDone={isDone} respond={respond} />
                </Target>
              ))}
              {devices.length + users.length > 0 && <hr style={{ width: '100%', border: 0, margin: 0 }} />}
              <ResponseLedger detail={detail} timeZone={timeZone} />
            </Inside>
          </Panel>
        </Linked>
      )}
      <CaseProposals detail={detail} timeZone={timeZone} />
      <CaseIncidents caseId={info.id} timeZone={timeZone} />
      <CaseTickets caseId={info.id} timeZone={timeZone} />
      <Panel title="Export">
        <Inside>
          <CaseExport detail={detail} onPrint={onPrint} />
          {can.suppress && first && (
            <AppLink
              href={paths.exceptions({
                client: info.clientOrganizationID,
                new: 1,
                rule: first.ruleID,
                device: first.deviceName ?? undefined,
                user: first.userName ?? undefined,
              })}
            >
              Suppress similar alerts…
            </AppLink>
          )}
        </Inside>
      </Panel>
      <MarkIncorrect of={of} isOpen={isIncorrect} onClose={() => setIncorrect(false)} />
    </>
  );
}

interface Targets {
  name: string;
  isDone: boolean;
}

/** Devices and users of the case, with their state by alerts and responses. */
function targetsOf({ alerts, autonomousResponseData: { caseArtifacts }, responses }: CaseDetail): {
  devices: Targets[];
  users: Targets[];
} {
  const isOn = (name: string, action: 'isolate' | 'blockUser') =>
    responses.some(
      (each) =>
        each.action === action &&
        each.target.toLowerCase() === name.toLowerCase() &&
        ['acknowledged', 'verified'].includes(each.state),
    );
  const of = (kind: 'device' | 'user', action: 'isolate' | 'blockUser', isFlagged: (name: string) => boolean): Targets[] => {
    const known = caseArtifacts.filter((artifact) => artifact.kind === kind).map(({ value }) => value);
    const shown = alerts.flatMap((alert) => (kind === 'device' ? alert.deviceName : alert.userName) ?? []);
    const names = [...shown, ...known].filter((name) => kind === 'device' || !isBuiltInAccount(name));
    const byName = new Map(names.map((name) => [name.toLowerCase(), name]));
    return [...byName.values()].map((name) => ({ name, isDone: isFlagged(name) || isOn(name, action) }));
  };
  return {
    devices: of('device', 'isolate', (name) => alerts.some((alert) => alert.deviceName === name && alert.deviceIsolated)),
    users: of('user', 'blockUser', (name) => alerts.some((alert) => alert.userName === name && alert.userDisabled)),
  };
}
