/** Attack indicators: the ATT&CK matrix with what happened and what can be seen at all. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, instant, line, results, startBeforeEnd, timeRange } from './primitives.ts';

/** seen: alerts in the timeframe; covered: rules that live sources feed; blind: rules, but nothing feeds them; none: no rule. */
export const coverages = ['seen', 'covered', 'blind', 'none'] as const;

const cell = {
  id: z.string().max(20).describe('ATT&CK id, such as T1110 or T1110.003.'),
  name: line.describe('Its name.'),
  count: count.describe('Alerts in the timeframe.'),
  before: count.describe('Alerts in the timeframe compared with; 0 without one.'),
  criticality: z.number().int().min(0).max(5).describe('The highest criticality of its alerts; 0 without any.'),
  rules: count.describe('Our rules for it.'),
  liveRules: count.describe('Of these, rules that a source feeds now.'),
  coverage: z.enum(coverages).describe('seen, covered, blind or none.'),
};
const of = startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange }));
const compare = {
  compareStart: instant.optional().describe('Start of the timeframe to compare with.'),
  compareEnd: instant.optional().describe('Its end, exclusive.'),
};

export const matrixTechnique = z.object({
  ...cell,
  subtechniques: z.array(z.object(cell)).max(50).describe('Its sub-techniques.'),
});
export type MatrixTechnique = z.infer<typeof matrixTechnique>;
export const matrixTactic = z.object({
  id: z.string().max(20).describe('ATT&CK id, such as TA0006.'),
  name: line.describe('Its name.'),
  count: count.describe('Alerts with one of its techniques.'),
  techniques: z.array(matrixTechnique).max(200).describe('Its techniques, in the order of the matrix.'),
});
export type MatrixTactic = z.infer<typeof matrixTactic>;

export const attackApi = {
  matrix: endpoint({
    id: 'attack.matrix',
    method: 'GET',
    path: '/attack-indicators/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary:
      'The ATT&CK matrix with the alerts of a timeframe, those of another to compare, and which techniques can be seen now.',
    params: of,
    query: z.object(compare),
    answer: z.object({
      tactics: z.array(matrixTactic).max(20).describe('In the order of the matrix.'),
      total: count.describe('Alerts with a technique.'),
      untagged: count.describe('Alerts without one.'),
      covered: count.describe('Techniques that can be seen now.'),
      techniques: count.describe('Techniques in the matrix.'),
      sources: z
        .array(
          z.object({
            logSource: line.describe('What rules read.'),
            isLive: z.boolean().describe('Whether something sends it now.'),
            rules: count.describe('Rules that read it.'),
            devices: count.describe('Devices that send it.'),
            lastEventAt: instant.nullable().describe('The newest event of these.'),
          }),
        )
        .max(500)
        .describe('What rules read, and whether something sends it.'),
    }),
  }),
  navigator: endpoint({
    id: 'attack.navigator',
    method: 'GET',
    path: '/attack-indicators/:client/:start/:end/navigator',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'The same as a layer for ATT&CK Navigator (format 4.5).',
    params: of,
    answers: 'file',
    answer: nothing,
  }),
  controls: endpoint({
    id: 'attack.controls',
    method: 'GET',
    path: '/attack-indicators/:client/:start/:end/controls',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'NIST SP 800-53 controls by the alerts of techniques that they answer.',
    params: of,
    answer: results(
      z.object({
        nistControlID: line.describe('The control’s id.'),
        nistControlName: line.describe('Its name.'),
        count: count.describe('Alerts.'),
        techniques: z
          .array(
            z.object({
              id: line.describe('ATT&CK id.'),
              name: line.describe('Its name.'),
              count: count.describe('Alerts.'),
            }),
          )
          .max(300)
          .describe('The techniques behind it.'),
      }),
      1_000,
    ),
  }),
};
