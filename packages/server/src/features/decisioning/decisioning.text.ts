/** Texts of verdicts. Values from events and rules are untrusted: quoted, truncated, with control characters escaped. */
import type { Evidence } from '@parapet/contract/caseDetail.ts';

const maxQuoted = 160;
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** Escapes invisible and bidirectional characters by their code point. */
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
    `Verdict: ${verdict}${confidence === null ? '' : `, with a confidence of ${confidence} of 100`}.`,
  ];
  return sentences.filter(Boolean).join(' ').slice(0, 10_000);
}

/** Narrative for the client: the summary, then each sentence of evidence with its citation. */
export function narrativeOf(words: CaseWords, evidence: readonly Evidence[]): string {
  const reasons = evidence.map(({ text, alertID, field, value }) =>
    alertID === null ? text : `${text} (Alert ${alertID}: ${visible((field ?? '').slice(0, 200))} is ${quote(value ?? '')}.)`,
  );
  return [quote(words.title).slice(1, -1), summaryOf(words), ...reasons].join('\n\n').slice(0, 20_000);
}
