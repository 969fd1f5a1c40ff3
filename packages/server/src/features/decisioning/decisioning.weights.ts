/**
 * Weights of the verdict model in log-odds, one row per feature. `declared` is the analyst's weight before any data; `learnt` is its correction by
 * the labelled cases (decisioning.fit.ts), within `bound` of it. docs/decisioning.md is the card of the model.
 */
import type { Evidence } from '@parapet/contract/caseDetail.ts';

/** Changes with any weight, threshold, sequence or context, as a stored verdict names the model that judged it. */
export const modelName = 'additive-log-odds 2.6';

export type Factor = Evidence['factor'];

export interface WeightRow {
  factor: Factor;
  declared: number;
  /** Correction learnt from the labelled cases; 0 where the declared weight stands. */
  learnt: number;
  /** Source of the declared weight. */
  why: string;
}

const row = (factor: Factor, declared: number, learnt: number, why: string): WeightRow => ({ factor, declared, learnt, why });

export const weightTable = {
  base: row('severity', -2, -0.27, 'Odds of a case before any evidence: most alerts of a client are its own work.'),
  'rule.critical': row(
    'severity',
    3.2,
    -0.14,
    'Worst rule is critical: the rubric gives it to losses that few benign causes explain.',
  ),
  'rule.high': row('severity', 1.9, -0.26, 'Worst rule is high: look now.'),
  'rule.medium': row('severity', 0.7, 0.13, 'Worst rule is medium: look today.'),
  'rule.low': row('severity', -0.4, 0, 'Worst rule is low: everyday work that intruders do as well.'),
  'rule.informational': row('severity', -1, 0, 'Worst rule is a record.'),
  'confidence.high': row('severity', 1.4, -0.08, 'The worst rule rarely fires on anything but the attack that it names.'),
  'confidence.low': row('severity', -0.8, 0, 'The worst rule often fires on harmless work.'),
  'further.severe': row('severity', 0.7, -0.17, 'Each further severe rule of another technique, up to four.'),
  'further.medium': row('severity', 0.25, 0.28, 'Each further medium rule of another technique, up to four.'),
  alone: row('severity', -0.6, -0.37, 'No other rule fired that shows another technique: attacks seldom leave one trace.'),
  'technique.telling': row('technique', 0.9, 0.24, 'A technique that administration hardly ever needs, up to two.'),
  'technique.everyday': row(
    'technique',
    -0.8,
    -0.25,
    'Nothing but work that administrators do as well, and no risky circumstance.',
  ),
  'sequence.2': row('sequence', 0.6, -0.43, 'Two steps of a declared sequence, in order, joined by an entity.'),
  'sequence.3': row('sequence', 1.6, 0.07, 'Three steps: chance hardly orders them so.'),
  'sequence.4': row('sequence', 2.6, 0, 'Four steps or more: an intrusion as it is described in reports.'),
  'sequence.further': row('sequence', 0.4, 0, 'Each further sequence of three steps or more, up to two.'),
  'tactics.3': row('sequence', 0.5, 0.19, 'Three tactics in ATT&CK’s order of at least low rules.'),
  'tactics.4': row('sequence', 1, 0, 'Four tactics in order.'),
  'tactics.5': row('sequence', 1.5, 0, 'Five tactics or more in order.'),
  'context.risky': row('context', 1, 0.73, 'Circumstances that attacks have more often, up to three.'),
  'context.managed': row(
    'context',
    -1.1,
    -0.31,
    'Started by management or installation software in a protected folder, or following an installation of it, up to two.',
  ),
  'context.internal': row('context', -0.9, 0, 'Sign-in failures or scans from an internal address.'),
  'context.own': row('context', -1.2, -0.15, 'It contacts a host of the client’s own domain and no other.'),
  'session.managed': row('context', -1.3, -0.31, 'The sign-ins from this address were on managed devices.'),
  'session.shared': row(
    'context',
    -1.3,
    0,
    'The sign-in was on a device that is not managed, but others were at this address on managed ones.',
  ),
  'session.unmanaged': row(
    'context',
    0.6,
    0.28,
    'A sign-in from this address was on a device that is not managed; twice if it was rated as risky.',
  ),
  'entry.outside': row(
    'context',
    0.9,
    0,
    'The person behind it had signed in from a public address that it did not use on the ten days before.',
  ),
  'entry.usual': row(
    'history',
    -0.5,
    0,
    'The person behind it had signed in from an address of three or more of the ten days before.',
  ),
  'context.refused': row('context', -1.2, 0, 'Nothing but web requests, and the server refused them or gave one page to all.'),
  'context.developer': row('context', -0.7, 0, 'An editor, compiler, package manager or build runner started it.'),
  'account.usual': row(
    'history',
    -0.7,
    -0.66,
    'The account worked on this device on three or more of the ten days before; not for Windows.',
  ),
  spread: row('sequence', 0.9, 0.06, 'One rule of lateral movement fired on three or more machines.'),
  'reputation.malicious': row('reputation', 2.2, 0.18, 'First value that a list has as malicious.'),
  'reputation.further': row('reputation', 0.4, 0, 'Each further malicious value, up to three.'),
  'reputation.suspicious': row('reputation', 0.6, 0.04, 'Each value listed as suspicious, up to two.'),
  'reputation.benign': row('reputation', -0.5, -0.68, 'Each value listed as benign, up to two.'),
  history: row(
    'history',
    -0.7,
    -0.69,
    'Each doubling of the days on which the worst rule fired on the same device or user before (days reviewed as benign twice), up to 2.5 doublings.',
  ),
  'history.further': row(
    'history',
    -0.4,
    0,
    'Each further rule of at least medium that is a habit of its device or user, up to three.',
  ),
  prevalence: row(
    'history',
    -0.4,
    -0.19,
    'Each doubling of the other devices on which the worst rule fired before, up to three doublings.',
  ),
  rare: row('history', 0.3, 0, 'The worst rule never fired at this client in 30 days that had at least 50 alerts.'),
  outcome: row('outcome', 1, 0, 'Reviews of the rules at this client, already log-odds, at most 2 in all.'),
  hour: row('time', 0.3, 0, 'Began in an hour with less than half of an even share of the client’s alerts.'),
} as const satisfies Record<string, WeightRow>;

export type Feature = keyof typeof weightTable;
export const features = Object.keys(weightTable) as Feature[];
export const weightOf = (feature: Feature): number => weightTable[feature].declared + weightTable[feature].learnt;

/** Largest amount of a feature, whatever the facts. */
export const maxAmounts: Partial<Record<Feature, number>> = {
  'further.severe': 4,
  'further.medium': 4,
  'technique.telling': 2,
  'sequence.further': 2,
  'context.risky': 3,
  'context.managed': 2,
  'session.unmanaged': 2,
  'reputation.further': 3,
  'reputation.suspicious': 2,
  'reputation.benign': 2,
  history: 2.5,
  'history.further': 3,
  prevalence: 3,
};

/** Largest correction by the reviews of a client, in log-odds either way. */
export const maxOutcome = 2;
/** Largest distance of a learnt weight from its declared one. */
export const maxLearnt = 0.8;

/** Lowest probability of malicious of each verdict. */
export const verdictAt = { malicious: 0.65, suspicious: 0.4, likelyBenign: 0.15 } as const;

/** Alerts of 30 days from which the hours of a client and the rarity of a rule mean something. */
export const enoughAlerts = 50;
export const unusualShare = 0.5 / 24;
