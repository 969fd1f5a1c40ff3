/**
 * Verdicts: the model evaluates changed cases; each of its sentences is checked against the stored event again when it is read. A malicious case gets
 * task proposals, and a narrative at its first malicious verdict.
 */

import type { Decisioning, Evidence } from '@parapet/contract/caseDetail.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { modelJudgement } from '@parapet/contract/rules/judgement.ts';
import { publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { accountOf } from '../../domain/accounts.ts';
import { queueDeliveries } from '../../domain/causes.ts';
import { readAttack } from '../../domain/story.store.ts';
import { attackClauses, storyText } from '../../domain/story.ts';
import { verifiedEvidence, verifySentences } from './decisioning.citations.ts';
import { type LookUp, readFacts } from './decisioning.facts.ts';
import { decisionOf, evidenceOf, soundFindings } from './decisioning.model.ts';
import type { WriteProse } from './decisioning.prose.ts';
import * as store from './decisioning.store.ts';
import { type CaseWords, summaryOf, verdictWords } from './decisioning.text.ts';
import type { CaseFacts, Decision } from './decisioning.types.ts';
import { modelName, weightOf } from './decisioning.weights.ts';

const casesPerBatch = 100;
const maxProposals = 20;

export type DecisioningService = ReturnType<typeof createDecisioningService>;

interface Written {
  id: number;
  caseId: number;
  text: string;
}

export function createDecisioningService({
  db,
  clock,
  lookUp,
  writeProse,
  log,
}: {
  db: Database;
  clock: Clock;
  /** Reputation of values in threat intelligence. */
  lookUp: LookUp;
  /** Rewrites a narrative's facts as prose; undefined without a language model. */
  writeProse?: WriteProse | undefined;
  log: Log;
}) {
  const decideBatch = async (organisationId: number): Promise<number> => {
    const { judged, written } = await scoped(
      db,
      { organisationIds: [organisationId] },
      async (tx) => {
        const cases = await store.lockUndecided(tx, organisationId, casesPerBatch);
        if (cases.length === 0) return { judged: 0, written: [] };
        const written = await judge(tx, organisationId, cases, lookUp, clock.now());
        return { judged: cases.length, written };
      },
      { statementTimeoutMs: 30_000 },
    );
    // The model is called outside any transaction.
    if (writeProse) {
      for (const { id, text } of written) {
        const prose = await writeProse(text);
        if (prose !== undefined)
          await scoped(db, { organisationIds: [organisationId] }, (tx) =>
            store.replaceNarrative(tx, organisationId, id, text, prose),
          );
      }
    }
    return judged;
  };

  return {
    /** Evaluates changed cases of one organisation or of all. Returns their number. */
    async run(organisationId?: number): Promise<number> {
      const waiting =
        organisationId === undefined ? await scoped(db, 'system', store.listOrganisationsUndecided) : [organisationId];
      let total = 0;
      for (const id of waiting) {
        try {
          for (let done = casesPerBatch; done === casesPerBatch; total += done) done = await decideBatch(id);
        } catch (error) {
          log.error({ err: error, organisationId: id }, 'cases could not be judged');
        }
      }
      return total;
    },

    /** Marks cases whose data sources fell silent or resumed, for the next run. */
    noteSilence: (): Promise<void> =>
      scoped(db, 'system', (tx) => store.reconsiderSilence(tx, clock.now()), { statementTimeoutMs: 30_000 }),

    /** The verdict with the sentences that are still valid; null before the first evaluation. */
    async verified(tx: Tx, scope: Scope, record: store.CaseRecord, isInternal: boolean): Promise<Decisioning | null> {
      if (record.verdict === null || record.decided_at === null) return null;
      const evidence = await verifiedEvidence(tx, scope, record);
      return {
        verdict: record.verdict,
        confidenceScore: record.confidence,
        startWeight: startWeightOf(record.model),
        explanation: explain(evidence).slice(0, 20_000),
        evidence,
        uncited: record.evidence.length - evidence.length,
        model: record.model,
        decidedAt: record.decided_at.toISOString(),
        isCorrect: isInternal ? record.is_decision_correct : null,
        notes: isInternal ? record.decision_notes : '',
      };
    },
  };
}

/** Start weight of the model that judged, in log-odds times ten. */
const startWeightOf = (model: string): number => (model === 'additive-log-odds 1' ? -20 : weightOf('base') * 10);

const explain = (evidence: readonly Evidence[]): string => evidence.map((sentence) => sentence.text).join(' ');

async function judge(
  tx: Tx,
  organisationId: number,
  cases: readonly store.CaseRecord[],
  lookUp: LookUp,
  now: number,
): Promise<Written[]> {
  const at = new Date(now);
  const facts = await readFacts(tx, organisationId, cases, lookUp, now);
  const sound = cases.map((record) => soundFindings(facts.get(record.id)!));
  const held = await verifySentences(
    tx,
    { organisationIds: [organisationId] },
    cases.map(({ id }, index) => ({ caseId: id, evidence: sound[index]!.map(evidenceOf) })),
  );
  const judged = cases.map((record, index) => {
    const own = facts.get(record.id)!;
    // A sentence without its event has no weight.
    const texts = new Set(held[index]!.map(({ text }) => text));
    const decision = decisionOf(
      sound[index]!.filter(({ text }) => texts.has(text)),
      own.silent,
    );
    return { record, facts: own, decision };
  });
  await store.saveVerdicts(
    tx,
    organisationId,
    judged.map(({ record, facts, decision }) => ({
      ...decision,
      id: record.id,
      model: modelName,
      decidedAt: at,
      summary: summaryOf(wordsOf(record, facts, decision)),
    })),
  );
  const changed = judged.filter(({ record, decision }) => record.verdict !== decision.verdict);
  if (changed.length > 0) {
    await tx
      .insertInto('case_history')
      .values(
        changed.map(({ record, decision }) => ({
          organisation_id: organisationId,
          case_id: record.id,
          at,
          kind: 'decision',
          actor_user_id: null,
          text: `Verdict: ${verdictWords(decision.verdict, decision.confidence)}.`,
          before: record.verdict === null ? null : JSON.stringify({ verdict: record.verdict }),
          after: JSON.stringify({ verdict: decision.verdict }),
        })),
      )
      .execute();
  }
  await queueDeliveries(
    tx,
    changed.map(({ record }) => ({ organisationId, event: 'case.verdict', objectId: record.id, occasion: now, at })),
  );
  const malicious = judged.filter(({ decision }) => decision.verdict === 'Malicious');
  await store.insertProposals(
    tx,
    organisationId,
    malicious.flatMap(({ record, facts }) => proposalsFor(record, facts)),
    at,
  );
  const fresh = malicious.filter(({ record }) => record.verdict !== 'Malicious');
  const narrated = await store.listNarrated(
    tx,
    organisationId,
    fresh.map(({ record }) => record.id),
  );
  const narratives: { caseId: number; text: string }[] = [];
  for (const { record, decision } of fresh.filter(({ record }) => !narrated.has(record.id)))
    narratives.push({ caseId: record.id, text: await narrativeOf(tx, organisationId, record, decision) });
  const written = await store.insertNarratives(tx, organisationId, narratives, at);
  await publish(tx, 'case.changed', { organisationId, caseIds: cases.map((each) => each.id), isNew: false });
  return written;
}

/** Narrative for the client: the attack’s part of the story, each sentence with its alert. */
async function narrativeOf(
  tx: Tx,
  organisationId: number,
  record: store.CaseRecord,
  { verdict, confidence }: Decision,
): Promise<string> {
  const attack = await readAttack(tx, { organisationIds: [organisationId] }, record.id);
  const judgement = modelJudgement(verdict, confidence);
  return storyText(attackClauses(attack, { judgement, alertCount: record.alert_count }), true).slice(0, 20_000);
}

const wordsOf = (record: store.CaseRecord, facts: CaseFacts, { verdict, confidence }: Decision): CaseWords => ({
  alertCount: record.alert_count,
  ruleCount: facts.rules.length,
  firstAt: record.first_alert_at,
  lastAt: record.last_alert_at,
  devices: record.device_names,
  users: record.user_names,
  tactics: record.tactics,
  verdict,
  confidence,
});

/** Programs in world-writable folders. */
const fromWritableFolder = /\\(?:users|programdata|temp|perflogs|appdata)\\|^\/(?:tmp|var\/tmp|dev\/shm|home)\//i;
const accountTactics = ['credential-access', 'initial-access', 'persistence', 'collection', 'exfiltration'];

/** Proposed targets: listed addresses and hashes, programs of severe rules in writable folders, users of severe alerts. */
export function proposalsFor(record: Pick<store.CaseRecord, 'id' | 'user_names'>, facts: CaseFacts): store.Proposal[] {
  const block = (target: string, device = ''): store.Proposal => ({
    caseId: record.id,
    action: 'block',
    target: target.slice(0, 500),
    device: device.slice(0, 255),
  });
  const severe = facts.rules.filter((rule) => rule.criticality >= criticalityOf.high);
  const listed = facts.indicators.filter(({ reputation }) => reputation === 'Malicious').map(({ value }) => block(value));
  const programs = severe.flatMap(({ details, device }) =>
    details.flatMap(({ name, value }) =>
      name === 'process.executable' && fromWritableFolder.test(value) ? [block(value, device)] : [],
    ),
  );
  const isAboutAccounts = severe.some((rule) => rule.tactics.some((tactic) => accountTactics.includes(tactic)));
  const people = new Map(
    record.user_names.flatMap((name) => (accountOf(name) === undefined ? [] : [[accountOf(name)!, name] as const])),
  );
  const disabled =
    isAboutAccounts && people.size <= 3
      ? [...people.values()].map((target): store.Proposal => ({ caseId: record.id, action: 'disable', target, device: '' }))
      : [];
  const all = [...listed, ...programs, ...disabled];
  return [
    ...new Map(all.map((each) => [`${each.action} ${each.target.toLowerCase()} ${each.device.toLowerCase()}`, each])).values(),
  ].slice(0, maxProposals);
}
