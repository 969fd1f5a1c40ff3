/** Differences of a rule by organisation: overrides and exceptions. */
import Button from '@mui/material/Button';
import type { RuleDetail } from '@parapet/contract/detectionRules.ts';
import { useState } from 'react';
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { Section } from '../../../kit/Section.tsx';
import { severityLabel } from '../../../kit/Severity.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { useScope } from '../../../lib/scope.ts';
import { useEndException } from '../rules.queries.ts';
import { AddException } from './AddException.tsx';
import { usePreviewId } from './ChangePreview.tsx';
import { EditOverride } from './EditOverride.tsx';
import { usePreview } from './PreviewResult.tsx';

export function SettingsTab({ rule }: { rule: RuleDetail }) {
  const { timeZone } = useScope();
  const { search, change } = useSearchState();
  const [chosen, setDialog] = useState<'exception' | 'override' | 'none'>();
  const previewed = usePreview(usePreviewId()).data?.change;
  const requested = previewed?.kind === 'override' ? rule.canOverride && 'override' : previewed && rule.canExcept && 'exception';
  const dialog = chosen ?? requested;
  const close = () => {
    setDialog('none');
    if (search.preview) change({ preview: undefined }, { replace: true });
  };
  const end = useEndException();
  return (
    <div style={{ display: 'grid', gap: 24 }}>
      <Section title="Exceptions" isPlain note="Events that raise no alert, by organisation">
        <div style={{ display: 'grid', gap: 12, justifyItems: 'start' }}>
          {rule.ruleExceptions.length === 0 && <Nothing>No exceptions yet.</Nothing>}
          <Rows aria-label="Exceptions" style={{ width: '100%' }}>
            {rule.ruleExceptions.map((exception) => (
              <Row key={exception.id}>
                <div className="fields">
                  <strong>
                    <VisibleText text={exception.organisation} />
                  </strong>{' '}
                  {exception.isActive ? 'ends' : 'ended'} <RelativeTime at={exception.endTime} timeZone={timeZone} />
                  {exception.owner && (
                    <div>
                      <VisibleText text={`${exception.owner}: ${exception.reason}`} />
                    </div>
                  )}
                  <CodeViewer text={exception.yaml} label={`Exception ${exception.id}`} maxHeight={160} />
                </div>
                {rule.canExcept && exception.isActive && (
                  <div className="buttons">
                    <Button size="small" onClick={() => end.mutate({ params: { id: exception.id } })}>
                      End exception
                    </Button>
                  </div>
                )}
              </Row>
            ))}
          </Rows>
          {rule.canExcept && (
            <Button variant="outlined" onClick={() => setDialog('exception')}>
              Add exception
            </Button>
          )}
          {rule.isCorrelation && (
            <Nothing>A correlation has no event of its own: add exceptions to the rules that it counts.</Nothing>
          )}
        </div>
      </Section>
      <Section title="Overrides" isPlain note="Severity and state by organisation; the nearest one applies">
        <div style={{ display: 'grid', gap: 12, justifyItems: 'start' }}>
          {rule.overrides.length === 0 && <Nothing>No overrides yet.</Nothing>}
          <Rows aria-label="Overrides" style={{ width: '100%' }}>
            {rule.overrides.map(({ organisation, isOn, criticality, owner, reason, changedTime }) => (
              <Row key={organisation}>
                <div className="fields">
                  <strong>
                    <VisibleText text={organisation} />
                  </strong>{' '}
                  {[
                    ...(isOn === null ? [] : [isOn ? 'On' : 'Off']),
                    ...(criticality === null ? [] : [`Severity ${severityLabel[criticality]}`]),
                  ].join(', ')}
                  {owner && (
                    <div>
                      <VisibleText text={`${owner}: ${reason}`} /> <RelativeTime at={changedTime} timeZone={timeZone} />
                    </div>
                  )}
                </div>
              </Row>
            ))}
          </Rows>
          {rule.canOverride && (
            <Button variant="outlined" onClick={() => setDialog('override')}>
              {rule.overrides.length === 0 ? 'Add override' : 'Change override'}
            </Button>
          )}
        </div>
      </Section>
      {dialog === 'exception' && <AddException rule={rule} onClose={close} />}
      {dialog === 'override' && <EditOverride rule={rule} onClose={close} />}
    </div>
  );
}
