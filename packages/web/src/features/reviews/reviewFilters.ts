/** The list's state in the address; what makes no sense is as if not there. */
import { decisionResultTypes, type Verdict, verdicts } from '@parapet/contract/rules/cases.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import { listIn, numberIn, type Search } from '../../lib/address.ts';

export interface ReviewFilters {
  decision: number[];
  /** 0: nobody. */
  reviewer: number[];
  verdict: Verdict[];
  /** Whenever closed, also what is open again: the timeframe does not count. */
  isAnyTime: boolean;
  text: string;
  page: number;
  pageSize: number;
}

/** spec §9. */
const defaultPageSize = 10;
const pageSizes = [defaultPageSize, 25, 50, 100];
const maxReviewers = 50;

export function reviewFiltersIn(search: Search): ReviewFilters {
  const pageSize = numberIn(search.pageSize, defaultPageSize);
  const ids = [...new Set(listIn(search.reviewer))].filter((text) => /^\d{1,10}$/.test(text)).map(Number);
  return {
    decision: decisionResultTypes.map(({ id }) => id).filter((id) => listIn(search.decision).includes(String(id))),
    reviewer: ids.filter((id) => id <= maxId).slice(0, maxReviewers),
    verdict: verdicts.filter((verdict) => listIn(search.verdict).includes(verdict)),
    isAnyTime: search.closed === 'any',
    text: (search.text ?? '').trim().slice(0, 200),
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : defaultPageSize,
  };
}

export const pageChange = (page: number, pageSize: number) => ({
  page: page === 1 ? undefined : page,
  pageSize: pageSize === defaultPageSize ? undefined : pageSize,
  peek: undefined,
});

export const noFilters = { decision: undefined, reviewer: undefined, verdict: undefined, text: undefined, page: undefined };
export const isFiltered = ({ decision, reviewer, verdict, text }: ReviewFilters) =>
  decision.length > 0 || reviewer.length > 0 || verdict.length > 0 || text !== '';

/** The body of the list's call. */
export const askedFor = (client: number, range: Range, filters: ReviewFilters) => ({
  filter: {
    clientOrganizationID: client,
    decisionIDs: filters.decision,
    analystIDs: filters.reviewer,
    verdicts: filters.verdict,
    text: filters.text,
    ...(filters.isAnyTime ? {} : { start: range.start, end: range.end }),
  },
  page: filters.page,
  pageSize: filters.pageSize,
});
