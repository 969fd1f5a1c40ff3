/** SLA timers and state of a case. */
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { investigationStatusName, resolutionLabel } from '@parapet/contract/rules/cases.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { clientAnswerLabel } from '../caseTexts.ts';
import { ClockMark } from './CaseMarks.tsx';

const containmentNote = { verified: null, notNeeded: ' No containment needed', unverified: ' Not verified' } as const;

/** `isWhole` adds what the rail shows as actions. */
export function CaseFacts({ detail, timeZone, isWhole = false }: { detail: CaseDetail; timeZone: string; isWhole?: boolean }) {
  const { caseGeneralInfo: info } = detail;
  return (
    <DefinitionList
      minWidth={124}
      facts={[
        ...info.clocks.map((clock) => ({
          name: `Time to ${clock.name}`,
          value: (
            <>
              <ClockMark clock={clock} timeZone={timeZone} />
              {clock.name === 'contain' && containmentNote[info.containment ?? 'verified']}
            </>
          ),
        })),
        { name: 'Analyst', value: isWhole && <VisibleText text={info.analyst ?? 'Unassigned'} /> },
        { name: 'Investigation', value: isWhole && investigationStatusName(info.investigationStatus) },
        {
          name: 'Waiting for client until',
          value: info.waitExpiration && <AbsoluteTime at={info.waitExpiration} timeZone={timeZone} />,
        },
        {
          name: 'Alerts',
          value: (
            <AppLink href={paths.case(info.id, { tab: 'alerts' })} style={{ color: 'inherit', textUnderlineOffset: 3 }}>
              {exact(info.alertCount)}
              {info.newAlerts > 0 && `, ${exact(info.newAlerts)} unseen`}
            </AppLink>
          ),
        },
        { name: 'Opened', value: <AbsoluteTime at={info.createdTime} timeZone={timeZone} /> },
        {
          name: 'Acknowledged',
          value: info.acknowledgement && (
            <>
              <VisibleText text={info.acknowledgement.by || 'Portal'} />
              {info.acknowledgement.channel === 'api' && ' by API'}
              {info.acknowledgement.channel === 'slack' && ' in Slack'},{' '}
              <AbsoluteTime at={info.acknowledgement.time} timeZone={timeZone} />
            </>
          ),
        },
        { name: 'Resolution', value: info.resolution && resolutionLabel(info.resolution) },
        {
          name: 'Reason',
          value: info.resolutionReason && <VisibleText text={info.resolutionReason} keepLines />,
          isWide: true,
        },
        {
          name: 'Client answer',
          value: info.clientAnswer && (
            <>
              {clientAnswerLabel[info.clientAnswer.answer]}, <AbsoluteTime at={info.clientAnswer.time} timeZone={timeZone} />
            </>
          ),
        },
        { name: 'Closed', value: info.closedTime && <AbsoluteTime at={info.closedTime} timeZone={timeZone} /> },
      ].map((fact) => ({ ...fact, value: fact.value || null }))}
    />
  );
}
