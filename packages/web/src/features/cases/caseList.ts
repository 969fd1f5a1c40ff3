/** Schema of the case list, and the filters as the calls take them. */
import { caseAgeNames, caseSorts } from '@parapet/contract/caseList.ts';
import { caseStatusValues, resolutionValues } from '@parapet/contract/rules/cases.ts';
import { judgedVerdicts } from '@parapet/contract/rules/judgement.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { answerRows, flag, ids, type ListQuery, listSchema, text, word, words, yesOrNo } from '../../lib/listSchema.ts';

export const caseList = listSchema({
  status: words(caseStatusValues),
  severity: words(severities),
  resolution: words(resolutionValues),
  verdict: words(judgedVerdicts),
  /** 0: unassigned. */
  analyst: ids(0),
  device: text(255),
  user: text(255),
  breached: flag(),
  waiting: flag(),
  /** An answer of the client that no analyst has seen. */
  answered: flag(),
  /** An attack that a person confirmed. */
  confirmed: flag(),
  /** Covered by a suppression. */
  excluded: yesOrNo(),
  /** Time since the case was opened. */
  age: word(caseAgeNames),
  text: text(),
  query: answerRows(),
  sort: word(caseSorts, 'createdTime'),
  order: word(['asc', 'desc'], 'desc'),
});
export type CaseFilters = ListQuery<typeof caseList>;

/** Filters of the list, its export and bulk changes. */
export const caseFilterInput = (
  { sort: _sort, order: _order, page: _page, pageSize: _size, ...filters }: CaseFilters,
  deviceName?: string,
) => ({
  ...filters,
  device: deviceName || filters.device || undefined,
  user: filters.user || undefined,
});
