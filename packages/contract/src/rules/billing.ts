/** Counts for billing: measures, their words and the numbers of a month. This file does not import zod. */
import { dayMs } from './duration.ts';

export const billingMeasures = [
  { value: 'devices', label: 'Protected devices' },
  { value: 'servers', label: 'Servers' },
  { value: 'workstations', label: 'Workstations' },
  { value: 'users', label: 'Users' },
  { value: 'mailboxes', label: 'Mailboxes' },
  { value: 'gigabytes', label: 'Log volume (GB)' },
] as const;
export type BillingMeasure = (typeof billingMeasures)[number]['value'];
export const billingMeasureValues = billingMeasures.map(({ value }) => value) as [BillingMeasure, ...BillingMeasure[]];
export const measureLabel = (measure: string): string => billingMeasures.find(({ value }) => value === measure)?.label ?? measure;

/** Measures that a correction may change; protected devices are servers and workstations. */
export const correctedMeasures = ['servers', 'workstations', 'users', 'mailboxes', 'gigabytes'] as const;
export type CorrectedMeasure = (typeof correctedMeasures)[number];

/** Null for what no source lists. */
export type BillingCounts = Record<BillingMeasure, number | null>;

const gigabyte = 1_000_000_000;
/** Whole gigabytes (10⁹ bytes), begun ones included. */
export const gigabytesOf = (bytes: number): number => Math.ceil(bytes / gigabyte);

export interface Counted {
  servers: number;
  workstations: number;
  users: number | null;
  mailboxes: number | null;
  bytes: number;
}

export const countsOf = ({ servers, workstations, users, mailboxes, bytes }: Counted): BillingCounts => ({
  devices: servers + workstations,
  servers,
  workstations,
  users,
  mailboxes,
  gigabytes: gigabytesOf(bytes),
});

export interface Correction {
  measure: CorrectedMeasure;
  /** Added to the count; negative to subtract. */
  amount: number;
}

/** A correction as a line of its own, which adds up with the count. */
export const correctionCounts = ({ measure, amount }: Correction): BillingCounts => ({
  devices: measure === 'servers' || measure === 'workstations' ? amount : null,
  servers: null,
  workstations: null,
  users: null,
  mailboxes: null,
  gigabytes: null,
  [measure]: amount,
});

/** Count and corrections together: what is billed. */
export const billedCounts = (counts: BillingCounts, corrections: readonly Correction[]): BillingCounts =>
  corrections
    .map(correctionCounts)
    .reduce<BillingCounts>(
      (sum, line) =>
        Object.fromEntries(billingMeasureValues.map((measure) => [measure, added(sum[measure], line[measure])])) as BillingCounts,
      counts,
    );
const added = (one: number | null, other: number | null): number | null => (other === null ? one : (one ?? 0) + other);

/** Days of the following month in which a month stays open, for events and lists that arrive late. */
export const openDays = 2;
/** Months that are counted back when an organisation is counted first. */
export const countedBack = 12;

/** Month of a time in UTC, such as 2026-11. */
export const billingMonthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);
/** @param step 1 for the next month, -1 for the one before */
export function monthAfter(month: string, step = 1): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return billingMonthOf(Date.UTC(year, number - 1 + step, 1));
}
/** True once the days are over in which a month stays open. */
export const isOverdue = (month: string, now: number): boolean =>
  now >= Date.parse(`${monthAfter(month)}-01T00:00:00Z`) + openDays * dayMs;
