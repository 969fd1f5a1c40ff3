/** Texts of verdicts. */
import type { Verdict } from '@parapet/contract/rules/cases.ts';
import { modelJudgement, verdictText } from '@parapet/contract/rules/judgement.ts';
import { quote } from '../../domain/quote.ts';

export interface CaseWords {
  alertCount: number;
  ruleCount: number;
  firstAt: Date;
  lastAt: Date;
  devices: readonly string[];
  users: readonly string[];
  tactics: readonly string[];
  verdict: Verdict;
  confidence: number | null;
}

const listed = (names: readonly string[], most = 5): string =>
  names.slice(0, most).map(quote).join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');
const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Plain-text summary of a case. */
export function summaryOf(words: CaseWords): string {
  const { alertCount, ruleCount, firstAt, lastAt, devices, users, tactics, verdict, confidence } = words;
  const when =
    lastAt.getTime() - firstAt.getTime() < 60_000 ? `at ${minute(firstAt)}` : `from ${minute(firstAt)} to ${minute(lastAt)}`;
  const sentences = [
    `${alertCount} ${alertCount === 1 ? 'alert' : 'alerts'} of ${ruleCount} ${ruleCount === 1 ? 'rule' : 'rules'} ${when}.`,
    devices.length > 0 ? `Devices: ${listed(devices)}.` : '',
    users.length > 0 ? `Users: ${listed(users)}.` : '',
    tactics.length > 0 ? `Tactics in order of time: ${tactics.join(', ')}.` : '',
    `Verdict: ${verdictWords(verdict, confidence)}.`,
  ];
  return sentences.filter(Boolean).join(' ').slice(0, 10_000);
}

/** Verdict of the model with its level of confidence. */
export const verdictWords = (verdict: Verdict, confidence: number | null): string =>
  verdictText(modelJudgement(verdict, confidence));
