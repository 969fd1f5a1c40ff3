/** A connection as the contract has it. */
import type { Described } from '@parapet/connectors/connector.ts';
import type { CaseIncident, Connection, ConnectionState } from '@parapet/contract/connections.ts';
import { resolutionLabel } from '@parapet/contract/rules/cases.ts';
import type { CaseIncidentRow } from './connections.incidents.people.ts';
import { resolutionOfClass } from './connections.incidents.rules.ts';
import { sourceOf } from './connections.names.ts';
import type { ConnectionRow } from './connections.store.ts';

const iso = (at: Date | null) => at?.toISOString() ?? null;

function stateOf({ state, failures, error, pulledAt, lastEventAt }: ConnectionRow, isPush: boolean): ConnectionState {
  if (state !== 'active') return state;
  // A warning while it goes on is a failure of neither side where nothing is retried.
  if (failures > 0 || (error !== null && !isPush)) return 'retrying';
  return (isPush ? lastEventAt : pulledAt) ? 'receiving' : 'waiting';
}

export function shown(row: ConnectionRow, connector: (Described & { isPush: boolean }) | undefined): Connection {
  const { title = row.kind, isPush = false } = connector ?? {};
  return {
    id: row.id,
    clientOrganizationID: row.organisationId,
    kind: row.kind,
    title,
    isPush,
    name: row.name,
    account: row.account,
    source: sourceOf({ title }, row.account),
    state: stateOf(row, isPush),
    error: row.error,
    errorAt: iso(row.errorAt),
    pulledAt: iso(row.pulledAt),
    nextAt: row.state === 'active' && !isPush ? iso(row.nextAt) : null,
    lastEventAt: iso(row.lastEventAt),
    lagSeconds: Math.round(row.lagMs / 1_000),
    eventsLastDay: row.eventsLastDay,
    devices: row.devices,
    canAct: (connector?.actions.length ?? 0) > 0,
    mayAct: row.mayAct,
    incidentMode: connector?.incidents ? row.incidentMode : null,
    incidentError: connector?.incidents ? row.incidentError : null,
    consentedBy: row.consentedBy,
    consentedAt: iso(row.consentedAt),
    createdAt: row.createdAt.toISOString(),
  };
}

export function shownIncident(row: CaseIncidentRow, connector: Described | undefined): CaseIncident {
  const { connectionKind, mode, url, classification, determination, readAt, goneAt, ...rest } = row;
  const label =
    classification && classification in resolutionOfClass ? resolutionLabel(resolutionOfClass[classification as never]) : '';
  return {
    ...rest,
    product: connector?.title ?? connectionKind,
    incidentMode: mode,
    link: url || null,
    classification: [label, wordsOf(determination)].filter((part) => part !== '').join(', '),
    readAt: iso(readAt),
    goneAt: iso(goneAt),
  };
}

/** `multiStagedAttack` → `multi staged attack`. */
const wordsOf = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
