/**
 * The list's state is its address: what is filtered, sorted, paged and peeked at. Addresses are typed, mailed and edited by people, so
 * every part is bounded and what makes no sense is as if it were not there.
 */
import { alertFates, alertSorts, alertStatuses } from '@parapet/contract/alerts.ts';
import type { Severity } from '@parapet/contract/primitives.ts';
import { maxId, severities } from '@parapet/contract/rules/values.ts';
import { useMemo } from 'react';
import { useSearchState } from '../../lib/address.ts';

export type AlertSort = (typeof alertSorts)[number];
export type AlertFate = (typeof alertFates)[number];
export type AlertStatus = (typeof alertStatuses)[number];
export const pageSizes = [25, 50, 100] as const;
const defaultPageSize = 50;
const maxValues = 50;

/** Only what differs from the default stands in the address. */
export interface AlertsSearch {
  severity?: Severity[];
  rule?: string[];
  category?: string[];
  /** ATT&CK ids, each with its sub-techniques; ANY for rules with one at all, NONE for those without. */
  technique?: string[];
  status?: AlertStatus[];
  fate?: AlertFate[];
  device?: string;
  user?: string;
  text?: string;
  sort?: AlertSort;
  order?: 'asc';
  page?: number;
  pageSize?: number;
  /** The alert in the side panel. */
  peek?: number;
}

/** The same with its defaults: what the list is asked for. */
export interface AlertFilters {
  severity: Severity[];
  rule: string[];
  category: string[];
  technique: string[];
  status: AlertStatus[];
  fate: AlertFate[];
  device: string;
  user: string;
  text: string;
  sort: AlertSort;
  order: 'asc' | 'desc';
  page: number;
  pageSize: number;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : '';

/** Comma-joined, or repeated. */
const listOf = (value: unknown): string[] =>
  [...new Set((Array.isArray(value) ? value : [value]).flatMap((part) => textOf(part).split(',')))]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, maxValues);

const short = (value: unknown, most: number): string | undefined => {
  const text = textOf(Array.isArray(value) ? value[0] : value).trim();
  return text === '' || text.length > most ? undefined : text;
};

const numberOf = (value: unknown, least: number, most: number): number | undefined => {
  const text = textOf(value);
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
};

const among = <T extends string>(known: readonly T[], values: string[]): T[] => known.filter((each) => values.includes(each));
const given = <T>(values: T[]): T[] | undefined => (values.length > 0 ? values : undefined);

export function validateAlertsSearch(search: Record<string, unknown>): AlertsSearch {
  const pageSize = numberOf(search.pageSize, 1, 100);
  const page = numberOf(search.page, 2, 1_000_000);
  const sort = alertSorts.find((each) => each === search.sort);
  const parts: { [K in keyof AlertsSearch]: AlertsSearch[K] | undefined } = {
    severity: given(among(severities, listOf(search.severity).map(lower))),
    rule: given(listOf(search.rule).filter((rule) => rule.length <= 64)),
    category: given(listOf(search.category).filter((category) => category.length <= 100)),
    technique: given(
      listOf(search.technique)
        .map((id) => id.toUpperCase())
        .filter((id) => /^(T\d{4}(\.\d{3})?|ANY|NONE)$/.test(id)),
    ),
    status: given(among(alertStatuses, listOf(search.status).map(lower))),
    fate: given(fatesIn(listOf(search.fate).map(lower))),
    device: short(search.device, 255),
    user: short(search.user, 255),
    text: short(search.text, 200),
    sort: sort === 'createdTime' ? undefined : sort,
    order: search.order === 'asc' ? 'asc' : undefined,
    page,
    pageSize: pageSizes.find((size) => size === pageSize && size !== defaultPageSize),
    peek: numberOf(search.peek, 1, maxId),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as AlertsSearch;
}

const lower = (text: string) => text.toLowerCase();
const fatesIn = (values: string[]) => alertFates.filter((fate) => values.includes(lower(fate)));

export const filtersOf = (search: AlertsSearch): AlertFilters => ({
  severity: search.severity ?? [],
  rule: search.rule ?? [],
  category: search.category ?? [],
  technique: search.technique ?? [],
  status: search.status ?? [],
  fate: search.fate ?? [],
  device: search.device ?? '',
  user: search.user ?? '',
  text: search.text ?? '',
  sort: search.sort ?? 'createdTime',
  order: search.order ?? 'desc',
  page: search.page ?? 1,
  pageSize: search.pageSize ?? defaultPageSize,
});

export const filterNames = ['severity', 'status', 'fate', 'category', 'rule', 'technique', 'device', 'user', 'text'] as const;
export const isFiltered = (search: AlertsSearch) => filterNames.some((name) => search[name] !== undefined);

export type AlertsChange = { [K in keyof AlertsSearch]?: AlertsSearch[K] | undefined };

/** A changed filter or order starts at page 1 again and closes the panel; turning pages and peeking do not touch the filters. */
export function changed(search: AlertsSearch, change: AlertsChange): AlertsSearch {
  const keepsPlace = Object.keys(change).every((name) => name === 'page' || name === 'peek' || name === 'pageSize');
  return validateAlertsSearch({ ...search, ...(keepsPlace ? {} : { page: undefined, peek: undefined }), ...change });
}

export function useAlertFilters() {
  const { search: raw, change: changeAddress } = useSearchState();
  // Compared by its text, so that an unrelated change of the address (the timeframe) keeps the same objects.
  const key = JSON.stringify(validateAlertsSearch(raw));
  const search = useMemo(() => JSON.parse(key) as AlertsSearch, [key]);
  const filters = useMemo(() => filtersOf(search), [search]);

  /** Filters make a step in the history; typing and peeking replace it, so that Back leaves the list and not letter by letter. */
  const change = (next: AlertsChange, replace = false) => changeAddress({ ...empty, ...changed(search, next) }, { replace });
  return { search, filters, change };
}

const empty: Record<keyof AlertsSearch, undefined> = {
  severity: undefined,
  rule: undefined,
  category: undefined,
  technique: undefined,
  status: undefined,
  fate: undefined,
  device: undefined,
  user: undefined,
  text: undefined,
  sort: undefined,
  order: undefined,
  page: undefined,
  pageSize: undefined,
  peek: undefined,
};
