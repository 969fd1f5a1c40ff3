/**
 * Time entries of ConnectWise Manage. Source: developer.connectwise.com, "Manage REST API" 3.0 (time/entries, time/workTypes, time/workRoles). Times are
 * UTC without fractions of a second, which it refuses. Entries of the API member; the PSA derives the hours.
 */
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { objectOf } from '../values.ts';
import { confirmedId, idText, type JsonCall } from './tickets.calls.ts';
import type { Choice, TimeApi } from './tickets.ts';

type Row = Record<string, unknown>;
/** Rows of a list, and rows as choices. */
interface Lists {
  list(path: string, query?: Record<string, string>): Promise<Row[]>;
  choicesOf(rows: readonly Row[]): Choice[];
}

const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

export function connectwiseTime(who: string, call: JsonCall, { list, choicesOf }: Lists): TimeApi {
  const active = async (path: string) => choicesOf((await list(path)).filter(({ inactiveFlag }) => inactiveFlag !== true));
  return {
    isNote: false,
    async choices() {
      return { types: await active('/time/workTypes'), roles: await active('/time/workRoles'), people: [], required: [] };
    },
    async list(ticket) {
      const conditions = `chargeToType="ServiceTicket" and chargeToId=${Number(ticket)}`;
      const rows = await list('/time/entries', { conditions, fields: 'id,notes', orderBy: 'id desc', pageSize: '100' });
      return rows.flatMap((row) => {
        const id = idText(row.id);
        return id === undefined ? [] : [{ id, text: String(row.notes ?? '') }];
      });
    },
    async add(ticket, { text, minutes, until }, { type, role, isBillable }) {
      const entry = {
        chargeToType: 'ServiceTicket',
        chargeToId: Number(ticket),
        timeStart: timeOf(until - minutes * minuteMs),
        timeEnd: timeOf(until),
        billableOption: isBillable ? 'Billable' : 'DoNotBill',
        notes: text,
        ...(type !== '' && { workType: { id: Number(type) } }),
        ...(role !== '' && { workRole: { id: Number(role) } }),
        emailContactFlag: false,
        emailResourceFlag: false,
        emailCcFlag: false,
      };
      return confirmedId(who, 'time entry', objectOf(await call('POST', '/time/entries', entry))?.id);
    },
  };
}
