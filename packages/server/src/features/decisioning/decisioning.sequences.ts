/** Sequences of an intrusion as data: steps in order of time, joined by a device, user or address. */
import type { Citation, RuleFact } from './decisioning.types.ts';

/** A rule is a step if it has one of the techniques (sub-techniques included), tactics or categories. */
export interface Step {
  /** In the words of the sentence. */
  name: string;
  techniques?: readonly string[];
  tactics?: readonly string[];
  categories?: readonly string[];
  /** Words of the rule's title, where its tags do not suffice. */
  title?: RegExp;
  /** Title that rules it out. */
  not?: RegExp;
  /** Least criticality; 2 (low) by default. */
  from?: number;
}

export interface Sequence {
  id: string;
  name: string;
  steps: readonly Step[];
  /** Steps without which it is no such sequence, by index. */
  needs: readonly number[];
}

const succeeded =
  /\b(?:success\w*|succeeded|logged on|let in|signed in|gave in|given after|after (?:brute|repeated|many)|found|guessed|taken)\b/i;
const failures: Step = {
  name: 'failed sign-ins',
  techniques: ['T1110', 'T1621', 'T1595', 'T1589'],
};
const entry: Step = {
  name: 'a sign-in',
  techniques: ['T1078', 'T1133', 'T1110', 'T1621', 'T1528', 'T1539', 'T1550', 'T1557', 'T1021'],
  title: succeeded,
  not: /\bnever succeeded\b/i,
};
const privilege: Step = {
  name: 'greater rights',
  tactics: ['privilege-escalation'],
  techniques: ['T1548', 'T1068', 'T1134', 'T1098', 'T1136', 'T1078.003', 'T1484'],
  from: 3,
};
const credentials: Step = {
  name: 'credentials taken',
  techniques: ['T1003', 'T1552', 'T1555', 'T1558', 'T1649', 'T1606', 'T1056', 'T1187', 'T1557', 'T1539'],
  from: 3,
};
const impact: Step = { name: 'damage', tactics: ['impact'], categories: ['Destructive Activity'], from: 3 };
const evasion: Step = { name: 'protection tampered with', techniques: ['T1562', 'T1070', 'T1112', 'T1222', 'T1564'], from: 3 };
const persistence: Step = { name: 'a way back left behind', tactics: ['persistence'], categories: ['Persistence'], from: 3 };
const discovery: Step = {
  name: 'the surroundings explored',
  tactics: ['discovery', 'reconnaissance'],
  categories: ['Reconnaissance'],
};
const lateral: Step = {
  name: 'another machine reached',
  tactics: ['lateral-movement'],
  categories: ['Lateral Movement'],
  from: 3,
};
const control: Step = { name: 'contact with outside', tactics: ['command-and-control'], categories: ['Command and Control'] };
const execution: Step = {
  name: 'a program run in an unusual way',
  tactics: ['execution'],
  techniques: ['T1566', 'T1204', 'T1218', 'T1059', 'T1047', 'T1127'],
  categories: ['Suspicious Execution', 'Malware'],
  from: 3,
};
const exploited: Step = {
  name: 'an attack on a server',
  techniques: ['T1190', 'T1595', 'T1133', 'T1505.003'],
  categories: ['Web Attack'],
};
const collection: Step = { name: 'data gathered', tactics: ['collection'], techniques: ['T1560', 'T1074', 'T1213', 'T1114'] };
const exfiltration: Step = { name: 'data sent out', tactics: ['exfiltration'], categories: ['Data Exfiltration'], from: 3 };

export const sequences: readonly Sequence[] = [
  { id: 'guessed', name: 'A guessed password and its use', steps: [failures, entry, privilege, credentials], needs: [0, 1] },
  { id: 'guessed-impact', name: 'A guessed password and damage', steps: [failures, entry, privilege, impact], needs: [0, 1] },
  {
    id: 'guessed-stay',
    name: 'A guessed password and a way back',
    steps: [failures, entry, persistence, evasion],
    needs: [0, 1],
  },
  { id: 'payload', name: 'A payload and its orders', steps: [execution, control, discovery, credentials], needs: [0] },
  { id: 'operator', name: 'An operator at work', steps: [execution, discovery, credentials, lateral], needs: [2] },
  { id: 'stay', name: 'A payload that stays', steps: [execution, persistence, evasion, credentials], needs: [0, 1] },
  { id: 'spread', name: 'Stolen credentials and their use', steps: [credentials, lateral, persistence, impact], needs: [0, 1] },
  { id: 'ransom', name: 'Preparations of extortion', steps: [credentials, lateral, evasion, impact], needs: [3] },
  { id: 'blind', name: 'Damage behind switched-off protection', steps: [discovery, evasion, collection, impact], needs: [1, 3] },
  { id: 'web', name: 'A server taken by what it offers', steps: [exploited, execution, privilege, credentials], needs: [0] },
  { id: 'web-stay', name: 'A server taken and kept', steps: [exploited, execution, control, persistence], needs: [0] },
  {
    id: 'mailbox',
    name: 'A mailbox in other hands',
    steps: [
      { name: 'an unusual sign-in', techniques: ['T1078', 'T1110', 'T1621', 'T1528', 'T1539', 'T1550', 'T1557', 'T1566'] },
      {
        name: 'a hold on the account',
        techniques: ['T1098.001', 'T1098.002', 'T1098.003', 'T1098.005', 'T1556.006', 'T1136.003', 'T1528'],
      },
      { name: 'mail led away or hidden', techniques: ['T1564.008', 'T1114.003', 'T1137', 'T1070.008'] },
      { name: 'the mailbox used', techniques: ['T1114', 'T1534', 'T1566', 'T1213', 'T1657', 'T1530'] },
    ],
    needs: [0],
  },
  {
    id: 'carried',
    name: 'A program carried to another machine and run there',
    steps: [
      { name: 'a program carried over', techniques: ['T1570', 'T1021.002', 'T1105'], from: 3 },
      { name: 'run from afar', techniques: ['T1569.002', 'T1047', 'T1053.005', 'T1021.003', 'T1021.006'], from: 3 },
      discovery,
      credentials,
    ],
    needs: [0, 1],
  },
  {
    id: 'relay',
    name: 'A sign-in forced and passed on',
    steps: [
      { name: 'a machine made to sign in', techniques: ['T1187', 'T1557'], from: 3 },
      { name: 'its identity used', techniques: ['T1649', 'T1550', 'T1558', 'T1078'] },
      credentials,
      lateral,
    ],
    needs: [0, 1],
  },
  { id: 'theft', name: 'Data gathered and sent out', steps: [discovery, collection, exfiltration, evasion], needs: [1, 2] },
];

const isTagged = (rule: RuleFact, ids: readonly string[]): boolean =>
  rule.techniques.some((technique) => ids.some((id) => technique === id || technique.startsWith(`${id}.`)));

export function isStep(rule: RuleFact, { techniques, tactics, categories, title, not, from = 2 }: Step): boolean {
  if (rule.criticality < from || (not?.test(rule.title) ?? false)) return false;
  const isOfKind =
    (techniques !== undefined && isTagged(rule, techniques)) ||
    rule.tactics.some((tactic) => tactics?.includes(tactic)) ||
    (categories?.includes(rule.category) ?? false);
  return isOfKind && (title === undefined || title.test(rule.title));
}

export interface MatchedStep {
  name: string;
  rule: RuleFact;
  at: number;
  citation: Citation;
}

/** Entities of a rule's alerts, prefixed by their kind. */
const entitiesOf = ({ devices, users, addresses }: RuleFact): string[] => [
  ...devices.map((name) => `device ${name}`),
  ...users.map((name) => `user ${name}`),
  ...addresses.map((address) => `address ${address}`),
];

/** Rules that found the same event are one step. */
const isOfOneEvent = (a: RuleFact, b: RuleFact): boolean => a === b || (a.event !== '' && a.event === b.event);

interface Done {
  step: number;
  matched: MatchedStep;
}

/** First alert that can be the next step: not used before, at or after the previous step, sharing an entity with an earlier one. */
function nextOf(step: Step, index: number, rule: RuleFact, done: readonly Done[]): MatchedStep | undefined {
  if (rule.citation === undefined || !isStep(rule, step)) return undefined;
  const previous = done.at(-1);
  const at = previous && rule.at < previous.matched.at ? rule.lastAt : rule.at;
  const matched = { name: step.name, rule, at, citation: rule.citation };
  if (!previous) return matched;
  // A correlation of failures with a success is both steps.
  const isBoth = index === 1 && previous.step === 0 && previous.matched.rule === rule && rule.isOrdered;
  if (!isBoth && done.some((each) => isOfOneEvent(each.matched.rule, rule))) return undefined;
  const known = new Set(done.flatMap((each) => entitiesOf(each.matched.rule)));
  return at >= previous.matched.at && entitiesOf(rule).some((entity) => known.has(entity)) ? matched : undefined;
}

/** Longest run of a sequence's steps among rules in order of time; one event is at most one step, apart from ordered correlations. */
export function matchSequence({ steps, needs }: Sequence, inTime: readonly RuleFact[]): MatchedStep[] {
  let best: MatchedStep[] = [];
  const walk = (index: number, done: readonly Done[]): void => {
    if (index === steps.length) {
      const matched = done.map((each) => each.matched);
      // A single rule has its level instead, and takes no place of two.
      const isSingle = new Set(matched.map(({ rule }) => rule)).size < 2;
      if (!isSingle && needs.every((step) => done.some((each) => each.step === step)) && isBetter(matched, best)) best = matched;
      return;
    }
    for (const rule of inTime) {
      const matched = nextOf(steps[index]!, index, rule, done);
      if (!matched) continue;
      walk(index + 1, [...done, { step: index, matched }]);
      // The earliest rule of a later step leaves the most room for those after it.
      if (done.length > 0) break;
    }
    if (!needs.includes(index)) walk(index + 1, done);
  };
  walk(0, []);
  return best;
}

/** More steps first, then the worse and earlier rules. */
function isBetter(some: readonly MatchedStep[], than: readonly MatchedStep[]): boolean {
  const weight = (steps: readonly MatchedStep[]) => steps.reduce((sum, { rule }) => sum + rule.criticality, 0);
  return some.length - than.length > 0 || (some.length === than.length && weight(some) > weight(than));
}
