/**
 * Parameters by which alerts are grouped into cases, as data: bounds and built-in values. An organisation's set names the values that differ from what
 * it inherits; which entities a rule compares is part of the product.
 */
import { criticalityOf } from '../primitives.ts';

export const parameterUnits = ['switch', 'minutes', 'severity', 'count', 'tactics'] as const;
export type ParameterUnit = (typeof parameterUnits)[number];

export interface GroupingParameter {
  /** `<rule>.<field>`. */
  id: string;
  rule: string;
  field: GroupingField;
  /** switch: 0 or 1; severity: 1 Informational … 5 Critical; tactics: sum of 2^place in `groupingTactics`. */
  unit: ParameterUnit;
  min: number;
  max: number;
  builtIn: number;
}

const fields = {
  isOn: 'On',
  windowMinutes: 'Window',
  from: 'Minimum severity',
  maxParties: 'Shared by at most',
  maxOwn: 'Reached at most',
  widens: 'Follow spread',
  bridges: 'Merge cases',
  rules: 'Minimum rules',
  tactics: 'Minimum tactics',
  mediums: 'At Medium or higher',
  steps: 'Tactics of a step',
  aims: 'Tactics of the aim',
  value: 'Value',
} as const;
export type GroupingField = keyof typeof fields;
export const groupingFields: Readonly<Record<GroupingField, string>> = fields;

export interface GroupingRule {
  id: string;
  part: 'joining' | 'opening' | 'limit';
  /** `{window}` stands for the window. */
  sentence: string;
}

/** Short names in the order of ATT&CK. New tactics go to the end, since stored values count places. */
export const groupingTactics = [
  'reconnaissance',
  'resource-development',
  'initial-access',
  'execution',
  'persistence',
  'privilege-escalation',
  'defense-evasion',
  'credential-access',
  'discovery',
  'lateral-movement',
  'collection',
  'command-and-control',
  'exfiltration',
  'impact',
] as const;
export type GroupingTactic = (typeof groupingTactics)[number];

/** Value of a parameter of the unit `tactics`. */
export const tacticsValue = (tactics: readonly GroupingTactic[]): number =>
  tactics.reduce((sum, tactic) => sum + 2 ** groupingTactics.indexOf(tactic), 0);

export const tacticsOf = (value: number): GroupingTactic[] =>
  groupingTactics.filter((_, place) => Math.floor(value / 2 ** place) % 2 === 1);

/** Days of past alerts that a preview covers before its set goes live, unless fewer are kept. */
export const minPreviewDays = 7;

const hour = 60;
const day = 24 * hour;
const { informational, low, medium, high, critical } = criticalityOf;

type Values = Partial<Record<GroupingField, number>>;

const joining: readonly (readonly [id: string, sentence: string, values: Values])[] = [
  ['process-tree', 'the same process tree within {window}', { windowMinutes: day, from: informational, bridges: 1 }],
  [
    'hash',
    'the same file hash within {window}',
    { windowMinutes: 3 * day, from: informational, maxParties: 5, widens: 1, bridges: 1 },
  ],
  [
    'origin',
    'it came from a device of the case within {window}',
    { windowMinutes: day, from: medium, maxParties: 1, maxOwn: 8, bridges: 1 },
  ],
  [
    'caller',
    'it names a device of the case as where it came from, within {window}',
    { windowMinutes: day, from: medium, maxOwn: 8, bridges: 1 },
  ],
  ['reached', 'the case went to its device within {window}', { windowMinutes: day, from: medium, maxParties: 4, bridges: 1 }],
  [
    'reaching',
    'it went to a device of the case within {window}',
    { windowMinutes: 2 * hour, from: medium, maxOwn: 4, bridges: 1 },
  ],
  [
    'origin-near',
    'it came from a device of the case within {window}',
    { windowMinutes: 2 * hour, from: low, maxParties: 1, maxOwn: 8 },
  ],
  ['source', 'the case came from its device within {window}', { windowMinutes: 2 * hour, from: low, maxParties: 5 }],
  ['address', 'the same public address within {window}', { windowMinutes: day, from: low, maxParties: 4, widens: 1, bridges: 1 }],
  ['user', 'the same user within {window}', { windowMinutes: day, from: medium, maxParties: 8, widens: 1, bridges: 1 }],
  ['device', 'the same device within {window}', { windowMinutes: day, from: medium, bridges: 1 }],
  ['outbreak', 'the same critical rule on another device within {window}', { windowMinutes: hour, widens: 1, bridges: 1 }],
  [
    'user-severe',
    'the same user within {window}, and it is severe',
    { windowMinutes: 3 * day, from: high, maxParties: 8, widens: 1 },
  ],
  ['device-severe', 'the same device within {window}, and it is severe', { windowMinutes: 3 * day, from: high }],
  ['user-near', 'the same user within {window}', { windowMinutes: hour, from: low, maxParties: 8 }],
  ['device-near', 'the same device within {window}', { windowMinutes: hour, from: low }],
];

const opening: readonly (readonly [id: string, sentence: string, values: Values])[] = [
  ['severe', 'it is severe on its own', { from: high }],
  [
    'sequence',
    'tactics in the order of an attack on one device or user within {window}',
    { windowMinutes: 6 * hour, from: low, rules: 3, tactics: 3, mediums: 2 },
  ],
  ['rules', 'several rules on one device or user within {window}', { windowMinutes: hour, from: medium, rules: 3 }],
  [
    'aim',
    'a step and its aim on one device or user within {window}',
    {
      windowMinutes: hour,
      from: medium,
      // Rare together, even where each is common alone.
      steps: tacticsValue(['persistence', 'defense-evasion', 'credential-access', 'lateral-movement', 'collection']),
      aims: tacticsValue(['command-and-control', 'exfiltration']),
    },
  ],
  ['lead-up', 'it led up to the case within {window}', { windowMinutes: 2 * hour, from: medium }],
];

/** Bounds of a field; rules below narrow them. */
const bounds: Record<GroupingField, readonly [unit: ParameterUnit, min: number, max: number]> = {
  isOn: ['switch', 0, 1],
  widens: ['switch', 0, 1],
  bridges: ['switch', 0, 1],
  windowMinutes: ['minutes', 5, 7 * day],
  from: ['severity', informational, critical],
  maxParties: ['count', 1, 100],
  maxOwn: ['count', 1, 100],
  rules: ['count', 2, 20],
  tactics: ['count', 2, 14],
  mediums: ['count', 0, 14],
  steps: ['tactics', 1, 2 ** groupingTactics.length - 1],
  aims: ['tactics', 1, 2 ** groupingTactics.length - 1],
  value: ['count', 1, 1],
};
/** Alerts below Low are not kept for an opening, and "severe" must stay true. */
const narrowed: Readonly<Record<string, readonly [min: number, max: number]>> = {
  'severe.from': [medium, critical],
  'sequence.from': [low, critical],
  'rules.from': [low, critical],
  'aim.from': [low, critical],
  'lead-up.from': [low, critical],
  // Counted by whole hours.
  'fleet.windowMinutes': [hour, day],
  'user-severe.from': [high, critical],
  'device-severe.from': [high, critical],
};

const limits: readonly (readonly [
  id: string,
  sentence: string,
  unit: ParameterUnit,
  min: number,
  max: number,
  builtIn: number,
])[] = [
  ['severe-from', 'Severity from which an alert widens a case and joins two cases', 'severity', medium, critical, high],
  ['case-length', 'Longest time between an alert and the one that opened its case', 'minutes', hour, 7 * day, 3 * day],
  ['case-alerts', 'Alerts of a case', 'count', 10, 5_000, 5_000],
  ['case-devices', 'Devices of a case that widens or is joined with another', 'count', 50, 150, 150],
  ['habit-days', 'Days on which a rule fires for a device until it is usual there', 'count', 2, 14, 4],
  ['fleet', 'Devices on which a rule fires within {window} until it is usual for the fleet', 'count', 2, 100, 8],
];

function parametersOf(rule: string, values: Values): GroupingParameter[] {
  return (Object.keys(values) as GroupingField[]).map((field) => {
    const id = `${rule}.${field}`;
    const [unit, min, max] = bounds[field];
    const [lowest, highest] = narrowed[id] ?? [min, max];
    return { id, rule, field, unit, min: lowest, max: highest, builtIn: values[field]! };
  });
}

export const groupingRules: readonly GroupingRule[] = [
  ...joining.map(([id, sentence]) => ({ id, sentence, part: 'joining' as const })),
  ...opening.map(([id, sentence]) => ({ id, sentence, part: 'opening' as const })),
  ...limits.map(([id, sentence]) => ({ id, sentence, part: 'limit' as const })),
];

export const groupingParameters: readonly GroupingParameter[] = [
  ...[...joining, ...opening].flatMap(([rule, , values]) =>
    parametersOf(rule, rule === 'severe' ? values : { isOn: 1, ...values }),
  ),
  ...limits.flatMap(([rule, , unit, min, max, builtIn]) => [
    { id: `${rule}.value`, rule, field: 'value' as const, unit, min, max, builtIn },
    ...(rule === 'fleet' ? parametersOf(rule, { windowMinutes: 6 * hour }) : []),
  ]),
];

export const parameterById: ReadonlyMap<string, GroupingParameter> = new Map(
  groupingParameters.map((parameter) => [parameter.id, parameter]),
);

/** Kinds of entities that a set can keep from joining alerts. */
export const commonKinds = ['user', 'device', 'address', 'hash'] as const;
export type CommonKind = (typeof commonKinds)[number];

/** A window in words: "an hour", "24 hours", "3 days". */
export function windowText(minutes: number): string {
  if (minutes >= 2 * day && minutes % day === 0) return `${minutes / day} days`;
  if (minutes === hour) return 'an hour';
  return minutes % hour === 0 ? `${minutes / hour} hours` : `${minutes} minutes`;
}

export const sentenceOf = ({ sentence }: Pick<GroupingRule, 'sentence'>, minutes: number): string =>
  sentence.replace('{window}', windowText(minutes));

/** Reason of an alert that a user put into a case. */
export const manualReason = 'added manually';
/** Stored by versions up to 0.9. */
const earlierManualReason = 'a person, by hand';
/** Reason why an alert is in its case, as a phrase. */
export const shownReason = (stored: string): string => (stored === earlierManualReason ? manualReason : stored);
