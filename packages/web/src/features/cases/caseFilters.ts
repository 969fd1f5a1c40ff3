/** The list's state, as it stands in the address. Addresses are typed and edited by people: what makes no sense is as if not there. */
import { caseAgeNames, caseSorts } from '@parapet/contract/caseList.ts';
import type { Severity } from '@parapet/contract/primitives.ts';
import { type CaseStatus, caseStatusValues, type Verdict, verdicts } from '@parapet/contract/rules/cases.ts';
import { maxId, severities } from '@parapet/contract/rules/values.ts';
import { listIn, numberIn, oneIn, type Search } from '../../lib/address.ts';

export type CaseSort = (typeof caseSorts)[number];

export interface CaseListFilters {
  status: CaseStatus[];
  severity: Severity[];
  verdict: Verdict[];
  /** Ids; 0 for cases of nobody. */
  analyst: number[];
  device: string;
  user: string;
  breached: boolean;
  waiting: boolean;
  /** undefined: those that suppressions cover and the others. */
  excluded: boolean | undefined;
  /** How long ago they were opened. */
  age: (typeof caseAgeNames)[number] | undefined;
  text: string;
  sort: CaseSort;
  order: 'asc' | 'desc';
  page: number;
  pageSize: number;
}

const pageSizes = [25, 50, 100];
export const defaultPageSize = 50;
const maxAnalysts = 50;

const among = <T extends string>(known: readonly T[], text: string | undefined): T[] => {
  const asked = listIn(text).map((each) => each.trim().toLowerCase());
  return known.filter((each) => asked.includes(each.toLowerCase()));
};
const whole = (text: string): number => (/^\d{1,10}$/.test(text) && Number(text) <= maxId ? Number(text) : -1);
const isOn = (text: string | undefined) => text === 'true' || text === '1';

export function caseFiltersIn(search: Search): CaseListFilters {
  const pageSize = numberIn(search.pageSize, defaultPageSize);
  return {
    status: among(caseStatusValues, search.status),
    severity: among(severities, search.severity),
    verdict: among(verdicts, search.verdict),
    analyst: [...new Set(listIn(search.analyst).map(whole))].filter((id) => id >= 0).slice(0, maxAnalysts),
    device: short(search.device, 255),
    user: short(search.user, 255),
    breached: isOn(search.breached),
    waiting: isOn(search.waiting),
    excluded: search.excluded === 'true' ? true : search.excluded === 'false' ? false : undefined,
    age: caseAgeNames.find((age) => age === search.age),
    text: short(search.text, 200),
    sort: oneIn(search.sort, caseSorts, 'createdTime'),
    order: oneIn(search.order, ['asc', 'desc'], 'desc'),
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : defaultPageSize,
  };
}

const short = (text: string | undefined, most: number) => {
  const trimmed = (text ?? '').trim();
  return trimmed.length > most ? '' : trimmed;
};

export const filterNames = [
  'status',
  'severity',
  'verdict',
  'analyst',
  'device',
  'user',
  'breached',
  'waiting',
  'excluded',
  'age',
  'text',
] as const;
export const noFilters: Record<(typeof filterNames)[number], undefined> & { page: undefined } = {
  status: undefined,
  severity: undefined,
  verdict: undefined,
  analyst: undefined,
  device: undefined,
  user: undefined,
  breached: undefined,
  waiting: undefined,
  excluded: undefined,
  age: undefined,
  text: undefined,
  page: undefined,
};

export const isFiltered = (filters: CaseListFilters): boolean =>
  filters.status.length + filters.severity.length + filters.verdict.length + filters.analyst.length > 0 ||
  [filters.device, filters.user, filters.text].some((text) => text !== '') ||
  filters.breached ||
  filters.waiting ||
  filters.excluded !== undefined ||
  filters.age !== undefined;

/** As the calls take them: of a list, of its export, of work on all of it. */
export const askedFor = (filters: CaseListFilters, deviceName?: string) => ({
  status: filters.status,
  severity: filters.severity,
  verdict: filters.verdict,
  analyst: filters.analyst,
  device: deviceName || filters.device || undefined,
  user: filters.user || undefined,
  breached: filters.breached || undefined,
  waiting: filters.waiting || undefined,
  excluded: filters.excluded,
  age: filters.age,
  text: filters.text,
});
