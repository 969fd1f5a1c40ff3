/** The first figures of the dashboard: alerts over time by severity. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, line, startBeforeEnd, timeRange, timeZone } from './primitives.ts';

const bySeverity = {
  critical: count.describe('Critical alerts.'),
  high: count.describe('High alerts.'),
  medium: count.describe('Medium alerts.'),
  low: count.describe('Low alerts.'),
  informational: count.describe('Informational alerts.'),
};

export const dashboardApi = {
  alertsOverTime: endpoint({
    id: 'dashboard.alertsOverTime',
    method: 'GET',
    path: '/dashboard/alerts-over-time/:client/:start/:end',
    allow: 'dashboard:read',
    summary: 'Alerts by day (by month beyond 62 days) and severity, days and months being those of the viewer’s zone.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({ timeZone: timeZone.default('UTC').describe('The viewer’s zone.') }),
    answer: z.object({
      unit: z.enum(['day', 'month']).describe('What one bucket is.'),
      buckets: z
        .array(z.object({ bucket: line.describe('First day of the bucket, YYYY-MM-DD.'), ...bySeverity }))
        .max(400)
        .describe('Every bucket of the timeframe in order, also those without alerts.'),
      total: z.object(bySeverity).describe('The whole timeframe.'),
      before: z.object(bySeverity).describe('The timeframe of the same length before, for comparison.'),
    }),
  }),
};
