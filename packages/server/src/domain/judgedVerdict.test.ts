/** The verdict that stands is the same in SQL and in the contract’s rule. */
import {
  type CaseStatus,
  caseStatusValues,
  concludedInvestigations,
  type Resolution,
  resolutionValues,
  type Verdict,
  verdicts,
} from '@parapet/contract/rules/cases.ts';
import { type JudgedVerdict, judgementOf } from '@parapet/contract/rules/judgement.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useTestApp } from '../../test/app.ts';
import { scoped } from '../core/db/scope.ts';
import { isFoundMalicious, judgedVerdict } from './judgedVerdict.ts';

const t = useTestApp();

interface Row {
  status: CaseStatus;
  investigation_status: number;
  resolution: Resolution | null;
  verdict: Verdict | null;
}

test('equals the rule for every combination', async () => {
  const all: Row[] = caseStatusValues.flatMap((status) =>
    [1, 2, 3, ...concludedInvestigations, 8].flatMap((investigation_status) =>
      [null, ...resolutionValues].flatMap((resolution) =>
        [null, ...verdicts].map((verdict) => ({ status, investigation_status, resolution, verdict })),
      ),
    ),
  );
  const { rows } = await scoped(t.db, 'system', (tx) =>
    sql<Row & { judged: JudgedVerdict | null; isFound: boolean }>`
      select r.*, ${judgedVerdict(sql`r`)} as judged, ${isFoundMalicious(sql`r`)} as "isFound"
      from jsonb_to_recordset(${JSON.stringify(all)}::jsonb)
        as r (status text, investigation_status integer, resolution text, verdict text)`.execute(tx),
  );
  expect(rows).toHaveLength(all.length);
  for (const { judged, isFound, ...row } of rows) {
    const { verdict, by } = judgementOf({
      ...row,
      criticality: 'high',
      investigationStatus: row.investigation_status,
      clientAnswer: null,
      confidenceScore: 90,
    });
    expect(judged, JSON.stringify(row)).toBe(verdict);
    if (row.status !== 'malicious' || row.resolution === null)
      expect(isFound, JSON.stringify(row)).toBe(
        verdict === 'Malicious' && (by !== 'decisioning' || row.resolution === 'truePositive'),
      );
  }
});
