/** Attack indicators: the ATT&CK matrix with alerts and coverage. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { connectorNames, missingField } from './missingFields.ts';
import { clientId, count, instant, line, results, startBeforeEnd, timeRange } from './primitives.ts';

/** seen: alerts in the timeframe; covered: rules with a live log source whose fields arrive; blind: only other rules; none: no rules. */
export const coverages = ['seen', 'covered', 'blind', 'none'] as const;

/** alerts: scored by alerts in the timeframe; proved: by recordings that prove a rule. */
export const navigatorLayers = ['alerts', 'proved'] as const;

const cell = {
  id: z.string().max(20).describe('ATT&CK ID, for example T1110 or T1110.003.'),
  name: line.describe('Technique name.'),
  count: count.describe('Alerts in the timeframe.'),
  before: count.describe('Alerts in the compared timeframe; 0 without one.'),
  criticality: z.number().int().min(0).max(5).describe('Highest criticality of its alerts; 0 without alerts.'),
  rules: count.describe('Rules for this technique.'),
  liveRules: count.describe('Rules that can match now: their log source is live, and the fields that they read arrive.'),
  blockedRules: count.describe('Rules with a live log source that can match nothing, because fields are missing.'),
  coverage: z.enum(coverages).describe('seen, covered, blind or none.'),
  sources: z.array(z.number().int().min(0).max(499)).max(500).describe('Log sources of its rules, as positions in sources.'),
  missing: z.array(z.number().int().min(0).max(199)).max(200).describe('Missing fields of its rules, as positions in missing.'),
  recordings: count.describe('Recordings that prove its rules: replayed at each build, a rule of the technique raised an alert.'),
  provedBy: line.nullable().describe('Title of the first of these recordings; null without one.'),
};
const of = startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange }));
const compare = {
  compareStart: instant.optional().describe('Start of the compared timeframe.'),
  compareEnd: instant.optional().describe('End of the compared timeframe, exclusive.'),
};

export const matrixTechnique = z.object({
  ...cell,
  subtechniques: z.array(z.object(cell)).max(50).describe('Sub-techniques.'),
});
export type MatrixTechnique = z.infer<typeof matrixTechnique>;
export const matrixTactic = z.object({
  id: z.string().max(20).describe('ATT&CK ID, for example TA0006.'),
  name: line.describe('Tactic name.'),
  count: count.describe('Alerts of its techniques.'),
  techniques: z.array(matrixTechnique).max(200).describe('Techniques, in matrix order.'),
});
export type MatrixTactic = z.infer<typeof matrixTactic>;

export const attackApi = {
  matrix: endpoint({
    id: 'attack.matrix',
    route: 'GET /attack-indicators/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns the ATT&CK matrix with alerts, compared alerts and coverage.',
    params: of,
    query: z.object(compare),
    answer: z.object({
      tactics: z.array(matrixTactic).max(20).describe('Tactics, in matrix order.'),
      total: count.describe('Alerts with a technique.'),
      untagged: count.describe('Alerts without a technique.'),
      covered: count.describe('Techniques with a rule that can match now.'),
      techniques: count.describe('Techniques in the matrix.'),
      sources: z
        .array(
          z.object({
            logSource: line.describe('Log source.'),
            isLive: z.boolean().describe('True when a device sends it now.'),
            rules: count.describe('Rules for this log source.'),
            devices: count.describe('Devices that send it.'),
            lastEventAt: instant.nullable().describe('Time of the newest event.'),
            connectors: connectorNames,
          }),
        )
        .max(500)
        .describe('Log source coverage.'),
      missing: z
        .array(missingField.extend({ rules: count.describe('Rules that can match nothing without it.') }))
        .max(200)
        .describe('Missing fields, those of most rules first.'),
    }),
  }),
  navigator: endpoint({
    id: 'attack.navigator',
    route: 'GET /attack-indicators/:client/:start/:end/navigator',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Exports the matrix as an ATT&CK Navigator layer (format 4.5).',
    params: of,
    query: z.object({
      layer: z.enum(navigatorLayers).default('alerts').describe('Scores: alerts, or recordings that prove a rule.'),
    }),
    answers: 'file',
    answer: nothing,
  }),
  controls: endpoint({
    id: 'attack.controls',
    route: 'GET /attack-indicators/:client/:start/:end/controls',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Lists NIST SP 800-53 controls by alerts of the techniques that they mitigate.',
    params: of,
    answer: results(
      z.object({
        nistControlID: line.describe('Control ID.'),
        nistControlName: line.describe('Control name.'),
        count: count.describe('Number of alerts.'),
        techniques: z
          .array(
            z.object({
              id: line.describe('ATT&CK ID.'),
              name: line.describe('Technique name.'),
              count: count.describe('Number of alerts.'),
            }),
          )
          .max(300)
          .describe('Techniques mitigated by the control.'),
      }),
      1_000,
    ),
  }),
};
