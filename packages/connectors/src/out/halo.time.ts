/**
 * Time entries of HaloPSA: actions of a ticket with the hours they took, which are listed among its notes. Source: the API's own description at
 * {site}/apidoc (Actions: timetaken, chargerate, actionbillable; Lookup 17: charge rates). Entries of the agent that the application signs in as.
 */
import { objectOf } from '../values.ts';
import { hoursOf } from './ticketing.time.ts';
import { confirmedId, type JsonCall } from './tickets.calls.ts';
import type { Choice, TicketNote, TimeApi } from './tickets.ts';

const chargeRates = 17;

interface Lists {
  choices(path: string): Promise<Choice[]>;
  notes(ticket: string): Promise<TicketNote[]>;
}

export const haloTime = (who: string, call: JsonCall, { choices, notes }: Lists): TimeApi => ({
  isNote: true,
  choices: async () => ({ types: await choices(`/lookup?lookupid=${chargeRates}`), roles: [], people: [], required: [] }),
  list: notes,
  async add(ticket, { text, minutes }, { type, isBillable }) {
    const action = {
      ticket_id: Number(ticket),
      outcome: 'Private Note',
      note: text,
      hiddenfromuser: true,
      timetaken: hoursOf(minutes),
      actionbillable: isBillable,
      ...(type !== '' && { chargerate: Number(type) }),
    };
    const answer = await call('POST', '/actions', [action]);
    return confirmedId(who, 'time entry', objectOf(Array.isArray(answer) ? answer[0] : answer)?.id);
  },
});
