/** Parsing of the page’s address, and durations. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Search } from '../../lib/address.ts';

/** Selectable durations in days. The longest stays a day below the server’s limit of one year to tolerate clock differences. */
export const lengths = [
  { value: 1, label: '1 day' },
  { value: 7, label: '1 week' },
  { value: 30, label: '30 days' },
  { value: 90, label: '90 days' },
  { value: 180, label: '180 days' },
  { value: 364, label: '1 year' },
] as const;

export const endOf = (days: number, now: number): string => new Date(now + days * dayMs).toISOString();

export interface Draft {
  clientOrganizationID: number;
  ruleID: string;
  deviceName: string;
  userName: string;
}

/** Initial values of the dialog when a link opens it (`new=1`); undefined otherwise. */
export function draftIn(search: Search, client: number): Draft | undefined {
  if (search.new !== '1') return undefined;
  const part = (text: string | undefined, maxLength: number) => (text && text.length <= maxLength ? text : '');
  return {
    clientOrganizationID: client,
    ruleID: part(search.rule, 64),
    deviceName: part(search.device, 255),
    userName: part(search.user, 255),
  };
}

export const noDraft = { new: undefined, rule: undefined, device: undefined, user: undefined };

/** Request body of a preview or a new suppression; undefined while it would match everything. */
export function scopeOf({ clientOrganizationID, ruleID, deviceName, userName }: Draft) {
  const given = (text: string) => text.trim() || null;
  const scope = { clientOrganizationID, ruleID: given(ruleID), deviceName: given(deviceName), userName: given(userName) };
  return clientOrganizationID > 0 && (scope.ruleID ?? scope.deviceName ?? scope.userName) !== null ? scope : undefined;
}
