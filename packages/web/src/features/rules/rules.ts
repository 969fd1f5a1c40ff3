/** Texts of rules’ states and origins, and the Sigma filter of an exception. */
import { providerId } from '@parapet/contract/access.ts';
import type { RuleDetail, RuleOrigin, RuleRow, RuleState } from '@parapet/contract/detectionRules.ts';
import { parseKql } from '@parapet/contract/rules/kql/parse.ts';
import { ruleOfSearch } from '@parapet/contract/rules/kql/sigma.ts';
import type { Scope } from '../../lib/scope.ts';

/** Packs belong to the provider. */
export const mayManagePacks = ({ may, who }: Pick<Scope, 'may' | 'who'>): boolean =>
  may('rulePacks:write') && who.organisationId === providerId;

/** State that a rule is shown in. */
export type ShownState = RuleState | 'off' | 'fault';

export const stateLabel: Record<ShownState, string> = {
  draft: 'Draft',
  tested: 'Tested',
  shadow: 'Shadow',
  live: 'Live',
  retired: 'Retired',
  off: 'Off',
  fault: 'Not in force',
};
export const stateText: Record<ShownState, string> = {
  draft: 'Raises no alerts.',
  tested: 'Its tests pass. Raises no alerts.',
  shadow: 'Counts matches. Raises no alerts.',
  live: 'Raises alerts.',
  retired: 'No longer in use.',
  off: 'Switched off for this client.',
  fault: 'Its live version can’t be loaded.',
};
export const originLabel: Record<RuleOrigin, string> = { builtIn: 'Built-in', edited: 'Edited', own: 'Own' };
export const noiseLabel = {
  never: 'No alerts in 60 days',
  noisy: 'More than 100 alerts',
  benign: 'Never malicious',
  noData: 'Log source or field missing',
} as const;

export const shownState = ({ isOn, state, fault }: Pick<RuleRow, 'isOn' | 'state' | 'fault'>): ShownState =>
  fault !== null ? 'fault' : isOn ? state : 'off';

/** Start of a new rule: that of a search of events, or an example. */
export function firstTextOf(search: string | undefined, shape: string | undefined): string {
  const parsed = parseKql(search ?? '');
  const rule = parsed.ok && parsed.ast && ruleOfSearch(search ?? '', parsed.ast, shape);
  return rule || newRuleText;
}

const newRuleText = `title: New rule
description: Purpose of the rule.
status: experimental
author: ''
logsource:
  product: windows
  category: process_creation
detection:
  selection:
    Image|endswith: '\\example.exe'
  condition: selection
falsepositives:
  - Unknown
level: medium
tags:
  - attack.execution
  - attack.t1059
`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Sigma filter that excludes events with these values, for the rule’s own log source. */
export function filterText(
  { ruleID, title, yaml }: Pick<RuleDetail, 'ruleID' | 'title' | 'yaml'>,
  field: string,
  values: string,
): string {
  const lines = values
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const logSource = /^logsource:[ \t]*(\{.*\}|(?:\r?\n[ \t]+.*)+)/m.exec(yaml)?.[0] ?? 'logsource: {}';
  return [
    `title: ${quoted(`Exception of ${title}`)}`,
    logSource,
    'filter:',
    '  rules:',
    `    - ${quoted(ruleID)}`,
    '  selection:',
    `    ${quoted(field.trim() || 'field')}:`,
    ...lines.map((line) => `      - ${quoted(line)}`),
    '  condition: not selection',
    '',
  ].join('\n');
}
