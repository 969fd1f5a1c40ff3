/** Time of analysts for an alert and a case, by which costs of rules and of changes are estimated. A rate of the provider and of each partner. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

export const analystRates = z.object({
  minutesPerAlert: z.number().int().min(0).max(240).describe('Minutes of an analyst for an alert; 0 to 240.'),
  minutesPerCase: z.number().int().min(1).max(1_000).describe('Minutes of an analyst for a case; 1 to 1,000.'),
});
export type AnalystRates = z.infer<typeof analystRates>;

/** Estimate for alerts, with its basis. */
export const alertTime = z.object({
  minutes: z.number().int().describe('Minutes of analysts: alerts by the minutes for an alert; negative for fewer alerts.'),
  perAlert: z.number().int().min(0).max(240).describe('Minutes for an alert.'),
});

export const analystTimeApi = {
  get: endpoint({
    id: 'analystTime.get',
    route: 'GET /analysttime',
    allow: 'rules:write',
    freshness: 'none',
    summary: 'Returns the minutes of an analyst of the own organisation for an alert and a case.',
    answer: analystRates,
  }),
  save: endpoint({
    id: 'analystTime.save',
    route: 'PUT /analysttime',
    allow: 'rules:write',
    freshness: 'none',
    summary: 'Changes the minutes of an analyst of the own organisation for an alert and a case.',
    body: analystRates,
    answer: analystRates,
  }),
};
