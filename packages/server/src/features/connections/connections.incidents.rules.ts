/**
 * Comparison of an incident with its cases by what both sides agreed on last (docs/decisions/0097-incidents.md): whatever differs from it on one side only is a change
 * of that side, so that readings that are lost, late or doubled change nothing twice, and a change of the portal's own is never taken for one of the vendor's.
 */
import type { IncidentChange, IncidentClass, IncidentState, VendorIncident } from '@parapet/connectors/incidents.ts';
import { type CaseStatus, isClosed, type Resolution, type StatedResolution } from '@parapet/contract/rules/cases.ts';
import type { Agreed, IncidentMode, Wanted } from '../../core/db/tables.connections.ts';

/** Of a case that has alerts of the incident. */
export interface CaseState {
  status: CaseStatus;
  resolution: Resolution | null;
  /** As the vendor is to show the analyst; null without one. */
  analyst: string | null;
}

const classOf: Partial<Record<Resolution, IncidentClass>> = {
  truePositive: 'truePositive',
  benign: 'benign',
  acceptedRisk: 'benign',
  falsePositive: 'falsePositive',
};
export const resolutionOfClass: Readonly<Record<IncidentClass, StatedResolution>> = {
  truePositive: 'truePositive',
  benign: 'benign',
  falsePositive: 'falsePositive',
};
/** The gravest first. */
const gravity: readonly IncidentClass[] = ['truePositive', 'benign', 'falsePositive'];

/** State that the cases want for their incident: closed once all of them are. There is at least one. */
export function wantedOf(cases: readonly CaseState[]): Wanted {
  const open = cases.filter(({ status }) => !isClosed(status));
  const classes = cases.map(({ resolution }) => resolution && classOf[resolution]);
  return {
    state:
      open.length === 0
        ? 'closed'
        : open.every(({ status }) => status === 'open') && open.length === cases.length
          ? 'open'
          : 'working',
    classification: open.length === 0 ? (gravity.find((each) => classes.includes(each)) ?? null) : null,
    assignedTo: (open.length === 0 ? cases : open).find(({ analyst }) => analyst !== null)?.analyst ?? null,
  };
}

/** Before the first comparison: an untouched incident and a new case. */
export const beginning: Agreed = { wanted: { state: 'open', classification: null, assignedTo: null }, state: 'open' };

/** Result of a comparison. */
export interface Comparison {
  /** Changes to send; undefined without any. */
  change: IncidentChange | undefined;
  /**
   * none: the vendor changed nothing that matters; close, reopen: the cases follow the vendor; differs: they do not by their connection's setting; overruled:
   * both sides changed, and the cases win.
   */
  vendor: 'none' | 'close' | 'reopen' | 'differs' | 'overruled';
  /** True when a side changed its state since they agreed. */
  isMoved: boolean;
}

/** Closed or not: work on an open incident is no reason to reopen one that the vendor closed. */
export const isSame = (a: IncidentState, b: IncidentState): boolean => (a === 'closed') === (b === 'closed');

export function compare(agreed: Agreed, wanted: Wanted, now: VendorIncident, mode: IncidentMode): Comparison {
  const isMoved = wanted.state !== agreed.wanted.state || now.state !== agreed.state;
  const result = (vendor: Comparison['vendor'], change: IncidentChange) => ({
    change: Object.keys(change).length > 0 ? change : undefined,
    vendor,
    isMoved,
  });
  if (mode === 'read') return result('none', {});
  const change = changeOf(agreed, wanted, now);
  if (isSame(now.state, agreed.state) || isSame(now.state, wanted.state)) return result('none', change);
  if (!isSame(wanted.state, agreed.wanted.state)) return result('overruled', { ...change, state: wanted.state });
  if (mode === 'send') return result('differs', change);
  // The next comparison sends what else the cases changed.
  return result(now.state === 'closed' ? 'close' : 'reopen', {});
}

/** Fields that the cases changed and the incident does not have yet. */
function changeOf(agreed: Agreed, wanted: Wanted, now: VendorIncident): IncidentChange {
  const { state, classification, assignedTo } = wanted;
  const before = agreed.wanted;
  const mayCross = isSame(state, now.state) || !isSame(state, before.state);
  // Only an entry of the portal's own is removed again.
  const mayAssign = assignedTo !== null || now.assignedTo === before.assignedTo;
  return {
    ...(state !== before.state && state !== now.state && mayCross && { state }),
    ...(classification !== before.classification &&
      classification !== null &&
      classification !== now.classification && { classification }),
    ...(assignedTo !== before.assignedTo && assignedTo !== now.assignedTo && mayAssign && { assignedTo }),
  };
}

/** Fields of a change that an incident does not show, by their names. */
export function missingOf(change: IncidentChange, now: VendorIncident): string[] {
  return [
    ...(change.state !== undefined && change.state !== now.state ? ['status'] : []),
    ...(change.classification !== undefined && change.classification !== now.classification ? ['classification'] : []),
    ...(change.assignedTo !== undefined && change.assignedTo !== now.assignedTo ? ['owner'] : []),
  ];
}
