/**
 * One scale of a case for every screen, document, email and answer: the worst severity of its alerts, and one verdict on them with its confidence in
 * words. The conclusion of a person replaces the verdict of decisioning, so that two verdicts never stand beside each other.
 */
import type { Severity } from '../primitives.ts';
import { type CaseStatus, investigationStatusIds, type Verdict } from './cases.ts';

export const confidenceLevels = ['high', 'medium', 'low'] as const;
export type ConfidenceLevel = (typeof confidenceLevels)[number];
/** Lowest confidence of a level, of 100. */
export const confidenceFrom: Record<ConfidenceLevel, number> = { high: 80, medium: 65, low: 0 };

export const confidenceLevelOf = (score: number): ConfidenceLevel =>
  confidenceLevels.find((level) => score >= confidenceFrom[level]) ?? 'low';

/** Calibration of the verdicts on the labelled cases that opened a case (docs/decisioning.md, Measured). */
const measured = { cases: 416, errorPoints: 4 };
/** Meaning of a level, for its tooltip. */
export function calibrationNote(level: ConfidenceLevel): string {
  const above = confidenceLevels[confidenceLevels.indexOf(level) - 1];
  const range = above ? `from ${confidenceFrom[level]} to ${confidenceFrom[above] - 1}` : `from ${confidenceFrom[level]}`;
  return `${sentenceStart(level)} confidence: ${range} of 100. Over ${measured.cases} labelled cases, stated and observed confidence differed by ${measured.errorPoints} points on average.`;
}

export type JudgedVerdict = Verdict | 'False positive';
export interface Judgement {
  severity: Severity;
  /** Null before the first judgement. */
  verdict: JudgedVerdict | null;
  /** Null for a person’s conclusion, and without a rated verdict. */
  confidence: ConfidenceLevel | null;
  isByAnalyst: boolean;
}

const concluded: Record<number, JudgedVerdict> = {
  [investigationStatusIds.benign]: 'Benign',
  [investigationStatusIds.falsePositive]: 'False positive',
  [investigationStatusIds.malicious]: 'Malicious',
  [investigationStatusIds.insufficientInformation]: 'Insufficient Information',
};

export interface Judged {
  criticality: Severity;
  status: CaseStatus;
  investigationStatus: number;
  verdict: Verdict | null;
  /** 0 to 100. */
  confidenceScore: number | null;
}

export function judgementOf({ criticality: severity, status, investigationStatus, verdict, confidenceScore }: Judged): Judgement {
  const byAnalyst = status === 'malicious' ? 'Malicious' : concluded[investigationStatus];
  if (byAnalyst) return { severity, verdict: byAnalyst, confidence: null, isByAnalyst: true };
  const isRated = verdict !== null && verdict !== 'Insufficient Information' && confidenceScore !== null;
  return { severity, verdict, confidence: isRated ? confidenceLevelOf(confidenceScore) : null, isByAnalyst: false };
}

type Detail = {
  caseGeneralInfo: Pick<Judged, 'criticality' | 'status' | 'investigationStatus'>;
  decisioning: Pick<Judged, 'verdict' | 'confidenceScore'> | null;
};
/** The same from a case’s detail. */
export const judgementOfDetail = ({ caseGeneralInfo, decisioning }: Detail): Judgement =>
  judgementOf({
    ...caseGeneralInfo,
    verdict: decisioning?.verdict ?? null,
    confidenceScore: decisioning?.confidenceScore ?? null,
  });

/** Judgement by decisioning alone. */
export const modelJudgement = (verdict: Verdict | null, confidenceScore: number | null): Omit<Judgement, 'severity'> =>
  judgementOf({ criticality: 'informational', status: 'open', investigationStatus: 0, verdict, confidenceScore });

const sentenceStart = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Verdict of a judgement in words: `Malicious, high confidence`. */
export function verdictText({ verdict, confidence, isByAnalyst }: Omit<Judgement, 'severity'>): string {
  if (verdict === null) return 'Not judged yet';
  const name = verdict === 'Insufficient Information' ? 'Insufficient information' : sentenceStart(verdict.toLowerCase());
  return isByAnalyst ? `${name}, set by an analyst` : confidence === null ? name : `${name}, ${confidence} confidence`;
}

/** The one line: `Critical alerts, judged malicious with high confidence`. */
export function judgementText({ severity, verdict, confidence, isByAnalyst }: Judgement): string {
  const alerts = `${sentenceStart(severity)} alerts`;
  if (verdict === null) return `${alerts}, not judged yet`;
  if (verdict === 'Insufficient Information')
    return `${alerts}, insufficient information for a verdict${isByAnalyst ? ' (set by an analyst)' : ''}`;
  const by = isByAnalyst ? ' by an analyst' : confidence === null ? '' : ` with ${confidence} confidence`;
  return `${alerts}, judged ${verdict === 'False positive' ? 'a false positive' : verdict.toLowerCase()}${by}`;
}
