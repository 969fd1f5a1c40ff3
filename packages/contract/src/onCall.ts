/** Rota of the people on call at an organisation: weekly shifts, overrides such as swaps, hand-over notes, and who is on call when. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, organisationId, paragraph, timeZone } from './primitives.ts';
import { maxOnCallShifts, maxOverrides, onCallPlaces } from './rules/onCall.ts';

/** First and last name, which have 200 characters each. */
const fullName = z.string().max(401);

const place = z
  .number()
  .int()
  .min(1)
  .max(onCallPlaces)
  .describe('1 for the person who is called first, 2 and 3 for the next ones.');
const minuteOfDay = (max: number) => z.number().int().min(0).max(max);

const shift = z.object({
  userId: id.describe('Person on call; of the organisation of the rota.'),
  place,
  days: z
    .array(z.number().int().min(1).max(7))
    .min(1, 'Choose at least one day.')
    .max(7)
    .describe('Days of the begin, 1 for Monday to 7.'),
  from: minuteOfDay(1439).describe('Begin, in minutes of the local day.'),
  to: minuteOfDay(1440).describe('End, in minutes of the local day; not after the begin: on the next day.'),
});
export type OnCallShift = z.infer<typeof shift>;

const override = z.object({
  userId: id.describe('Person on call in place of the shifts.'),
  place,
  starts: instant.describe('Begin.'),
  ends: instant.describe('End.'),
});

const turn = z.object({
  place,
  userName: fullName.nullable().describe('Person on call; null for a gap.'),
  isOverride: z.boolean().describe('True in place of the shifts.'),
  starts: instant.describe('Begin.'),
  ends: instant.describe('End.'),
});
export type OnCallTurn = z.infer<typeof turn>;

const allow = 'deliveries:write';
const ofClient = z.object({ client: id.describe('Organisation of the rota.') });

export const onCallApi = {
  get: endpoint({
    id: 'onCall.get',
    route: 'GET /oncall/:client',
    allow,
    freshness: 'none',
    summary: 'Returns the rota of an organisation: shifts, overrides, hand-over notes, and the turns of the next seven days.',
    params: z.object({ client: clientId.describe('Organisation of the rota; 0 for the caller’s own.') }),
    answer: z.object({
      clientOrganizationID: organisationId.describe('Organisation of the rota.'),
      zone: timeZone.nullable().describe('Time zone of the shifts; null before the first.'),
      shifts: z.array(shift).max(maxOnCallShifts).describe('Weekly shifts.'),
      overrides: z
        .array(override.extend({ id: id.describe('Override ID.'), userName: fullName.describe('Name of the person.') }))
        .max(maxOverrides)
        .describe('Overrides that are not over, the next one first.'),
      notes: z
        .array(
          z.object({
            author: fullName.describe('Author.'),
            text: paragraph.describe('Note.'),
            writtenAt: instant.describe('Time.'),
          }),
        )
        .max(10)
        .describe('Hand-over notes, the newest first.'),
      people: z
        .array(
          z.object({
            id: id.describe('User ID.'),
            name: fullName.describe('Name; empty without one.'),
            email: line.describe('Email address.'),
          }),
        )
        .max(1_000)
        .describe('People who can be on call.'),
      turns: z.array(turn).max(2_000).describe('Turns of the next seven days by place and time, with gaps.'),
    }),
  }),
  saveShifts: endpoint({
    id: 'onCall.saveShifts',
    route: 'PUT /oncall/:client/shifts',
    allow,
    freshness: 'none',
    summary: 'Replaces the weekly shifts of a rota.',
    params: ofClient,
    body: z.object({
      zone: timeZone.describe('Time zone of the shifts.'),
      shifts: z.array(shift).max(maxOnCallShifts).describe('All shifts.'),
    }),
    answer: nothing,
  }),
  addOverride: endpoint({
    id: 'onCall.addOverride',
    route: 'POST /oncall/:client/overrides',
    allow,
    freshness: 'none',
    summary: 'Puts a person on call in place of the shifts for a while, such as a swap. The newest override counts.',
    params: ofClient,
    body: override,
    answer: z.object({ id: id.describe('Override ID.') }),
  }),
  removeOverride: endpoint({
    id: 'onCall.removeOverride',
    route: 'DELETE /oncall/:client/overrides/:override',
    allow,
    freshness: 'none',
    summary: 'Removes an override: the shifts count again.',
    params: ofClient.extend({ override: id.describe('Override ID.') }),
    answer: nothing,
  }),
  addNote: endpoint({
    id: 'onCall.addNote',
    route: 'POST /oncall/:client/notes',
    allow,
    freshness: 'none',
    summary: 'Writes a hand-over note for the next people on call.',
    params: ofClient,
    body: z.object({ text: z.string().trim().min(1, 'Write a note.').max(2_000).describe('Note.') }),
    answer: nothing,
  }),
};
