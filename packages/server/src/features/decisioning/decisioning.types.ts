/** Facts that the verdict model reads, and what it returns. */
import type { Evidence } from '@parapet/contract/caseDetail.ts';
import type { Verdict } from '@parapet/contract/rules/cases.ts';
import type { Detail } from './decisioning.signals.ts';
import type { Feature } from './decisioning.weights.ts';

/** Source of a fact: an alert, a field of its event and its value. */
export interface Citation {
  alertID: number;
  field: string;
  value: string;
}

/** Share of malicious among what a rule finds, as its author declares it. */
export type RuleConfidence = 'low' | 'medium' | 'high';

/** A person on a device: days of the ten before on which the account worked there, and its last sign-in there before the activity. */
export interface Person {
  days: number;
  citation: Citation;
  /** `days` of the ten before on which it came from this address. */
  entry: { isOutside: boolean; days: number } | undefined;
  /** The last account that signed in within an hour, where the cited one is root or another shared account; likely, not certain. */
  through?: string | undefined;
}

/** One rule in a case, over all of its alerts there that are not the SOC's own actions. */
export interface RuleFact {
  ruleId: number;
  title: string;
  /** 1 Informational … 5 Critical. */
  criticality: number;
  confidence: RuleConfidence;
  category: string;
  techniques: readonly string[];
  tactics: readonly string[];
  /** True for a correlation of events in a declared order. */
  isOrdered: boolean;
  /** Id of the first event: what several rules find in one event is one piece of evidence. */
  event: string;
  /** First and last alert in the case, in milliseconds. */
  at: number;
  lastAt: number;
  alerts: number;
  citation: Citation | undefined;
  /** Values that a correlation counted, one citation each. */
  counted: readonly Citation[];
  /** Circumstances of the first event. */
  details: readonly Detail[];
  /** Device of the first alert, as the alert names it; empty without one. */
  device: string;
  /** Short names in lower case, without generic accounts. */
  devices: readonly string[];
  users: readonly string[];
  addresses: readonly string[];
  /** Outcomes of the organisation's other reviewed cases with this rule. */
  outcomes: { malicious: number; benign: number };
  /** Days of the 30 before the case with an alert of the rule on the same device or user; 0 if one was in a malicious case. */
  firedBefore: number;
  /** Those of these days whose case was reviewed as benign. */
  clearedBefore: number;
  /** The device or user of `firedBefore`. */
  on: Citation | undefined;
  /** Other devices with an alert of the rule in the 30 days before. */
  otherDevices: number;
  /** Sign-in behind an activity in a cloud service: same user, same address. `isShared`: others were there on managed devices. */
  session?: { isManaged: boolean; isRisky: boolean; isShared?: boolean; citation: Citation } | undefined;
  /** The person behind the activity on the device, also behind root; read for one rule of a case. */
  person?: Person | undefined;
  /** Device on which management software installed something shortly before the rule's first event, which names no parent itself. */
  deployed?: Citation | undefined;
  /** Alerts of the rule at the client in the 30 days before, up to a limit. */
  firedAtClient: number;
}

export interface CaseFacts {
  rules: readonly RuleFact[];
  indicators: readonly { reputation: 'Malicious' | 'Suspicious' | 'Benign'; value: string; list: string; citation: Citation }[];
  /** The organisation's alerts of 30 days: their number, and the share of the hour in which the case began. */
  hour: { utcHour: number; share: number; alerts: number; citation: Citation | undefined } | undefined;
  silent: readonly { device: string; lastEventAt: string }[];
}

/** A feature of the model with its sentence. */
export interface Finding {
  feature: Feature;
  /** Multiplied by the feature's weight; 0 for a sentence that only explains. */
  amount: number;
  text: string;
  citation: Citation;
}

export interface Decision {
  verdict: Verdict;
  /** Calibrated probability of the verdict in percent; null for Insufficient Information. */
  confidence: number | null;
  /** Probability of malicious, 0 to 1. */
  probability: number;
  evidence: Evidence[];
}
