/**
 * Verdict model: a sum of log-odds over cited findings. Deterministic: no randomness, clock or external service. Weights, sequences and circumstances
 * are data of their own modules; docs/decisioning.md is the model's card.
 */
import type { Evidence } from '@parapet/contract/caseDetail.ts';
import { quote } from '../../domain/quote.ts';
import { isSound } from './decisioning.check.ts';
import { findingsOf } from './decisioning.findings.ts';
import type { CaseFacts, Decision, Finding } from './decisioning.types.ts';
import { type Feature, verdictAt, weightOf, weightTable } from './decisioning.weights.ts';

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
const logistic = (sum: number): number => 1 / (1 + Math.exp(-sum));
const maxEvidence = 100;

/** Amounts of the features in a case, the input of the sum. */
export function amountsOf(findings: readonly Finding[]): Map<Feature, number> {
  const amounts = new Map<Feature, number>([['base', 1]]);
  for (const { feature, amount } of findings) if (amount !== 0) amounts.set(feature, (amounts.get(feature) ?? 0) + amount);
  return amounts;
}

export const probabilityOf = (amounts: ReadonlyMap<Feature, number>): number =>
  logistic([...amounts].reduce((sum, [feature, amount]) => sum + weightOf(feature) * amount, 0));

/** Findings whose sentence speaks of its citation and invents nothing. */
export const soundFindings = (facts: CaseFacts): Finding[] => {
  const names = [...facts.rules.map(({ title }) => title), ...facts.indicators.map(({ list }) => list)].join(' ');
  return findingsOf(facts)
    .filter(({ text, citation }) => isSound(text, citation.value, names))
    .slice(0, maxEvidence - maxSilent);
};

const maxSilent = 5;

/** Sentence of a finding as it is stored. */
export const evidenceOf = ({ feature, amount, text, citation }: Finding): Evidence => ({
  text: text.slice(0, 2000),
  weight: Math.round(clamp(amount === 0 ? 0 : weightOf(feature) * amount * 10, -100, 100) * 10) / 10,
  factor: factorOf(feature, text),
  ...citation,
});

/** Verdict on findings that were checked against the stored events. */
export function decisionOf(findings: readonly Finding[], silent: CaseFacts['silent']): Decision {
  const probability = probabilityOf(amountsOf(findings));
  const evidence: Evidence[] = [
    ...findings.map(evidenceOf),
    ...silent.slice(0, maxSilent).map(
      ({ device, lastEventAt }): Evidence => ({
        text: `${quote(device)} has sent nothing since ${lastEventAt}: later activity is not visible.`,
        weight: 0,
        factor: 'silence',
        alertID: null,
        field: null,
        value: null,
      }),
    ),
  ];
  const hasRule = findings.some(({ feature }) => feature.startsWith('rule.'));
  return { ...judged(probability, hasRule, silent.length > 0), probability, evidence };
}

/** Sentences without weight belong to the steps of a sequence or to a correlation's count. */
const factorOf = (feature: Feature, text: string): Evidence['factor'] =>
  feature === 'base' && text.startsWith('Step ') ? 'sequence' : weightTable[feature].factor;

export const decide = (facts: CaseFacts): Decision => decisionOf(soundFindings(facts), facts.silent);

/**
 * Five verdicts by the probability of malicious. Insufficient Information stands for a case without a citable rule, and for one between Benign and
 * Malicious with a silent source: what is plain stays plain, and what is not may depend on what was not sent.
 */
function judged(probability: number, hasRule: boolean, isBlind: boolean): Pick<Decision, 'verdict' | 'confidence'> {
  const percent = Math.round(100 * probability);
  if (!hasRule) return { verdict: 'Insufficient Information', confidence: null };
  if (probability >= verdictAt.malicious) return { verdict: 'Malicious', confidence: percent };
  if (probability < verdictAt.likelyBenign) return { verdict: 'Benign', confidence: 100 - percent };
  if (isBlind) return { verdict: 'Insufficient Information', confidence: null };
  if (probability >= verdictAt.suspicious) return { verdict: 'Suspicious', confidence: percent };
  return { verdict: 'Likely Benign', confidence: 100 - percent };
}
