import type { Feature, Platform } from '../../core/feature.ts';
import { findAnalyst } from './cases.analysts.ts';
import { createBulkCases, type ManyCasesService } from './cases.many.service.ts';
import { createOutsideCases } from './cases.outside.ts';
import type { OutsideCases } from './cases.ports.ts';
import { casesRoutes } from './cases.routes.ts';
import { type CasesDeps, type CasesService, createCasesService } from './cases.service.ts';
import { createTransitions, type Transitions } from './cases.transitions.ts';

// For the composition of the application; other features receive them as arguments.
export { createCaseAccess } from './cases.access.ts';
export { lockCase } from './cases.changes.ts';
export { listTimes, listTimesByCriticality } from './cases.times.ts';
export { saveNote } from './cases.writing.ts';

export type CasesRegisterDeps = Pick<Platform, 'db' | 'bus' | 'clock'> &
  Omit<CasesDeps, 'transitions' | 'findAnalyst'> &
  Pick<Parameters<typeof createBulkCases>[0], 'reviews'>;

export interface Cases {
  cases: CasesService;
  bulkCases: ManyCasesService;
  /** Changes of state, shared with everything that changes a case. */
  transitions: Transitions;
  outside: OutsideCases;
}

export function registerCases(deps: CasesRegisterDeps): Feature<Cases> {
  const changing = { clock: deps.clock, onChanged: deps.onChanged, requestReview: deps.requestReview, findAnalyst };
  const transitions = createTransitions(changing);
  const cases = createCasesService({ ...deps, ...changing, transitions });
  return {
    service: {
      cases,
      bulkCases: createBulkCases({ ...changing, reviews: deps.reviews }),
      transitions,
      outside: createOutsideCases({ ...deps, transitions }),
    },
    routes: (serving) => casesRoutes(serving, cases),
    jobs: [{ name: 'cases.watchClocks', cron: '* * * * *', run: cases.watchClocks }],
    closers: [() => cases.close()],
  };
}
