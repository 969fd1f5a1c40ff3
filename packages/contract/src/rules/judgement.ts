/**
 * One scale of a case for every screen, document, email and answer: the worst severity of its alerts, and one verdict on them with its confidence in
 * words. The resolution of a closed case, else the conclusion of a person, replaces the verdict of decisioning, so that two verdicts never stand beside
 * each other (docs/decisions/0152-the-verdict-that-stands.md).
 */
import type { Severity } from '../primitives.ts';
import {
  type CaseStatus,
  type EmailAction,
  investigationStatusIds,
  type Resolution,
  type StatedResolution,
  statedResolutions,
  type Verdict,
  verdicts,
} from './cases.ts';

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

/** Verdicts that stand: those of decisioning, then what only a person concludes. */
export const judgedVerdicts = [...verdicts, 'False positive', 'Accepted risk', 'Duplicate'] as const;
export type JudgedVerdict = (typeof judgedVerdicts)[number];

export interface Judgement {
  severity: Severity;
  /** Null before the first judgement. */
  verdict: JudgedVerdict | null;
  /** Null for a person’s conclusion, and without a rated verdict. */
  confidence: ConfidenceLevel | null;
  /** Source of the verdict; `closing` is the resolution of a closed case. */
  by: 'decisioning' | 'analyst' | 'client' | 'closing';
}

/** Verdict by investigation status; `judgedVerdict` in domain/judgedVerdict.ts is the same in SQL. */
export const verdictOfInvestigation: Readonly<Record<number, JudgedVerdict>> = {
  [investigationStatusIds.benign]: 'Benign',
  [investigationStatusIds.falsePositive]: 'False positive',
  [investigationStatusIds.malicious]: 'Malicious',
  [investigationStatusIds.insufficientInformation]: 'Insufficient Information',
};
export const verdictOfResolution: Readonly<Record<StatedResolution, JudgedVerdict>> = {
  truePositive: 'Malicious',
  benign: 'Benign',
  falsePositive: 'False positive',
  duplicate: 'Duplicate',
  acceptedRisk: 'Accepted risk',
};
const answered: Record<EmailAction, JudgedVerdict> = { malicious: 'Malicious', benign: 'Benign' };

export interface Judged {
  criticality: Severity;
  status: CaseStatus;
  investigationStatus: number;
  resolution: Resolution | null;
  /** Newest answer of the client. */
  clientAnswer: { answer: EmailAction } | null;
  verdict: Verdict | null;
  /** 0 to 100. */
  confidenceScore: number | null;
}

/** A true positive confirms what was judged malicious before, with its source. */
export function judgementOf(judged: Judged): Judgement {
  const { criticality: severity, status, investigationStatus, resolution, clientAnswer, verdict, confidenceScore } = judged;
  const closedAs = resolution && resolution !== 'notStated' ? verdictOfResolution[resolution] : undefined;
  const concluded = status === 'malicious' ? 'Malicious' : verdictOfInvestigation[investigationStatus];
  if (closedAs && (resolution !== 'truePositive' || (concluded ?? verdict) !== closedAs))
    return { severity, verdict: closedAs, confidence: null, by: 'closing' };
  if (concluded) {
    const isAnswer = clientAnswer !== null && answered[clientAnswer.answer] === concluded;
    return { severity, verdict: concluded, confidence: null, by: isAnswer ? 'client' : 'analyst' };
  }
  const isRated = verdict !== null && verdict !== 'Insufficient Information' && confidenceScore !== null;
  return { severity, verdict, confidence: isRated ? confidenceLevelOf(confidenceScore) : null, by: 'decisioning' };
}

type Detail = {
  caseGeneralInfo: Omit<Judged, 'verdict' | 'confidenceScore'>;
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
  judgementOf({
    criticality: 'informational',
    status: 'open',
    investigationStatus: investigationStatusIds.notStarted,
    resolution: null,
    clientAnswer: null,
    verdict,
    confidenceScore,
  });

const sentenceStart = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const setBy: Record<Exclude<Judgement['by'], 'decisioning'>, string> = {
  analyst: 'set by an analyst',
  client: 'reported by the client',
  closing: 'set at closing',
};

/** Verdict of a judgement in words: `Malicious, high confidence`. */
export function verdictText({ verdict, confidence, by }: Omit<Judgement, 'severity'>): string {
  if (verdict === null) return 'Not judged yet';
  const name = sentenceStart(verdict.toLowerCase());
  return by !== 'decisioning' ? `${name}, ${setBy[by]}` : confidence === null ? name : `${name}, ${confidence} confidence`;
}

const resolutionNouns: Record<StatedResolution, string> = {
  truePositive: 'a true positive',
  benign: 'benign',
  falsePositive: 'a false positive',
  duplicate: 'a duplicate',
  acceptedRisk: 'an accepted risk',
};
/** `as a false positive`; undefined for a resolution that was not stated. */
export const closedAsText = (resolution: Resolution | null): string | undefined =>
  resolution === null || resolution === 'notStated' ? undefined : `as ${resolutionNouns[resolution]}`;

/** Judgement in words of a sentence about a case: `judged malicious with high confidence`. */
export function judgedText({ verdict, confidence, by }: Omit<Judgement, 'severity'>): string {
  if (verdict === null) return 'not judged yet';
  if (by === 'closing') {
    const resolution = statedResolutions.find((each) => verdictOfResolution[each] === verdict)!;
    return `closed as ${resolutionNouns[resolution]}`;
  }
  if (by === 'client') return `reported as ${verdict === 'Malicious' ? 'not expected' : 'expected'} by the client`;
  if (verdict === 'Insufficient Information')
    return `insufficient information for a verdict${by === 'analyst' ? ' (set by an analyst)' : ''}`;
  const how = by === 'analyst' ? ' by an analyst' : confidence === null ? '' : ` with ${confidence} confidence`;
  return `judged ${verdict === 'False positive' ? 'a false positive' : verdict.toLowerCase()}${how}`;
}

/** The one line: `Critical alerts, judged malicious with high confidence`. */
export const judgementText = ({ severity, ...judged }: Judgement): string =>
  `${sentenceStart(severity)} alerts, ${judgedText(judged)}`;
