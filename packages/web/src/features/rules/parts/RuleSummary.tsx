/** Facts of a rule, and its changes. */
import type { RuleDetail } from '@parapet/contract/detectionRules.ts';
import type { ReactNode } from 'react';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { basisOf, minutesText } from '../../../lib/analystTime.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { originLabel } from '../rules.ts';
import { RuleHealth } from './RuleHealth.tsx';

const Stack = ({ children }: { children: ReactNode }) => <div style={{ display: 'grid', gap: 16 }}>{children}</div>;

export function SummaryTab({ rule }: { rule: RuleDetail }) {
  const { client, timeZone } = useScope();
  return (
    <Stack>
      {rule.fault !== null && (
        <Note tone="warning">
          The live version is not in force: <VisibleText text={rule.fault} />
          {rule.builtInYaml === null ? '. The rule raises no alerts.' : '. The built-in text is in force instead.'}
        </Note>
      )}
      {rule.health && <RuleHealth health={rule.health} timeZone={timeZone} />}
      <Section title="Last 30 days">
        <DefinitionList
          facts={[
            { name: 'Alerts', value: String(rule.alerts) },
            { name: 'In malicious cases', value: rule.maliciousPercent === null ? 'No alerts' : `${rule.maliciousPercent}%` },
            ...(rule.analystTime
              ? [{ name: 'Analyst time', value: `${minutesText(rule.analystTime.minutes)}, at ${basisOf(rule.analystTime)}` }]
              : []),
            { name: 'Last fired', value: rule.lastFired ?? 'Not in the last 60 days' },
            ...(rule.shadowMatches === null ? [] : [{ name: 'Matches in shadow', value: String(rule.shadowMatches) }]),
          ]}
        />
      </Section>
      <Section title="Rule">
        <p style={{ margin: '0 0 12px' }}>
          <VisibleText text={rule.description || 'No description.'} />
        </p>
        <DefinitionList
          facts={[
            { name: 'ID', value: rule.ruleID },
            { name: 'Origin', value: originLabel[rule.origin] },
            ...(rule.author ? [{ name: 'Author', value: rule.author }] : []),
            { name: 'Category', value: rule.category },
            { name: 'Techniques', value: rule.techniques.join(', ') || 'None' },
            { name: 'Condition', value: rule.condition },
            { name: 'Known false positives', value: rule.falsePositives.join(' ') || 'None' },
          ]}
        />
      </Section>
      {rule.usedBy.length > 0 && (
        <Section title="Correlations" note="They count this rule; switched off, it feeds none of them.">
          <ul style={{ margin: 0, paddingLeft: 20 }}>
            {rule.usedBy.map(({ ruleID, title }) => (
              <li key={ruleID}>
                <AppLink href={paths.rule(ruleID, { client })}>
                  <VisibleText text={title} />
                </AppLink>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </Stack>
  );
}

export function HistoryTab({ rule }: { rule: RuleDetail }) {
  const { timeZone } = useScope();
  if (rule.history.length === 0) return <Nothing>No changes yet. The rule is as the product delivers it.</Nothing>;
  return (
    <Rows aria-label="History">
      {rule.history.map(({ at, actor, action, version, why }) => (
        <Row key={`${at} ${action}`}>
          <div className="fields">
            <strong>
              <VisibleText text={action} />
            </strong>{' '}
            {version !== null && `(version ${version}) `}
            <div>
              <VisibleText text={why} />
            </div>
          </div>
          <span>
            <VisibleText text={actor || 'Portal'} /> <RelativeTime at={at} timeZone={timeZone} />
          </span>
        </Row>
      ))}
    </Rows>
  );
}
