/** Words of verdicts. What comes from events and rules is a stranger's: quoted as data, bounded, with its control characters made visible. */
import type { Evidence } from '@parapet/contract/caseDetail.ts';

const maxQuoted = 160;
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** Characters that would not be seen, or would turn the text around, as their number. */
export const visible = (text: string): string =>
  text.toWellFormed().replace(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

export function quote(text: string): string {
  const shown = visible(text.slice(0, maxQuoted)).replace(/[“”]/g, '"');
  return `“${shown}${text.length > maxQuoted ? '…' : ''}”`;
}

export interface CaseWords {
  title: string;
  alertCount: number;
  ruleCount: number;
  firstAt: Date;
  lastAt: Date;
  devices: readonly string[];
  users: readonly string[];
  tactics: readonly string[];
  verdict: string;
  confidence: number;
}

const listed = (names: readonly string[], most = 5): string =>
  names.slice(0, most).map(quote).join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');
const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The case in a few sentences, without markup. */
export function summaryOf(words: CaseWords): string {
  const { alertCount, ruleCount, firstAt, lastAt, devices, users, tactics, verdict, confidence } = words;
  const when =
    lastAt.getTime() - firstAt.getTime() < 60_000 ? `at ${minute(firstAt)}` : `from ${minute(firstAt)} to ${minute(lastAt)}`;
  const sentences = [
    `${alertCount} ${alertCount === 1 ? 'alert' : 'alerts'} of ${ruleCount} ${ruleCount === 1 ? 'rule' : 'rules'} ${when}.`,
    devices.length > 0 ? `Devices: ${listed(devices)}.` : '',
    users.length > 0 ? `Users: ${listed(users)}.` : '',
    tactics.length > 0 ? `Tactics in their order in time: ${tactics.join(', ')}.` : '',
    `Verdict: ${verdict}, with a confidence of ${confidence} of 100.`,
  ];
  return sentences.filter(Boolean).join(' ').slice(0, 10_000);
}

/** What happened, for the client: the summary, then what speaks for it, each sentence with what it cites. */
export function narrativeOf(words: CaseWords, evidence: readonly Evidence[]): string {
  const reasons = evidence.map(({ text, alertID, field, value }) =>
    alertID === null ? text : `${text} (Alert ${alertID}: ${visible((field ?? '').slice(0, 200))} is ${quote(value ?? '')}.)`,
  );
  return [quote(words.title).slice(1, -1), summaryOf(words), ...reasons].join('\n\n').slice(0, 20_000);
}
