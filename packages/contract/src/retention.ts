/** Retention of a client’s raw events, legal holds, and requests that a second person decides. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, instant, line, name, nameLine, organisationId, results } from './primitives.ts';

const ofClient = z.object({ client: id.describe('The organisation.') });
const days = z.number().int().min(1).max(3650);
const months = z.number().int().min(0).max(120);

export const retentionChoice = z.object({
  eventRetentionDays: days.nullable().describe('Days that raw events can be searched; null for the portal’s default.'),
  archiveMonths: months
    .nullable()
    .describe('Months that raw events stay in the archive after that; 0 or null for none: they are then deleted.'),
});

export const retentionLimits = z.object({
  minEventDays: days.describe('Least number of days that a client can choose.'),
  maxEventDays: days.nullable().describe('Greatest number of days; null for the portal’s default.'),
  maxArchiveMonths: months.describe('Greatest number of months in the archive; 0 for no archive.'),
});

export const requestKinds = ['hold', 'lift', 'erase'] as const;
export type RequestKind = (typeof requestKinds)[number];

const retentionRequest = z.object({
  id: id.describe('ID of the request.'),
  kind: z.enum(requestKinds).describe('hold sets a legal hold, lift ends it, erase deletes all data of the client.'),
  reason: line.describe('Reason given by the requester.'),
  requestedBy: name.describe('Requester.'),
  requestedAt: instant.describe('Time of the request.'),
  expiresAt: instant.describe('Time until which a second person can confirm it.'),
  isOwn: z.boolean().describe('True for the caller’s own request, which they can withdraw.'),
  refusal: line.nullable().describe('Reason why the caller can’t confirm it; null if they can.'),
});

export const retentionState = z.object({
  choice: retentionChoice.describe('Choice for this organisation.'),
  applied: z
    .object({
      eventDays: days.describe('Days that events can be searched.'),
      archiveMonths: months.describe('Months in the archive.'),
    })
    .describe('Retention as applied: the choice or the default, within the limits.'),
  defaultEventDays: days.describe('Default of the portal.'),
  limits: retentionLimits.describe('Limits set by the Host.'),
  kept: z
    .object({
      events: count.describe('Raw events that can be searched.'),
      oldest: instant.nullable().describe('Time of the oldest; null without events.'),
      bytes: count.describe('Their size in the database, in bytes, without indexes.'),
      bytesPerDay: count
        .nullable()
        .describe(
          'Growth in bytes a day: of what arrived in the last seven days, or since the first event; null without events.',
        ),
    })
    .describe('Raw events that are kept now.'),
  archive: z
    .object({
      files: count.describe('Files.'),
      events: count.describe('Raw events in them.'),
      bytes: count.describe('Their size in bytes.'),
      firstDay: z.iso.date().max(10).nullable().describe('First archived day (UTC); null without files.'),
      lastDay: z.iso.date().max(10).nullable().describe('Last archived day.'),
    })
    .describe('Archive of raw events, as Parquet files.'),
  disk: z
    .object({
      freeBytes: count.describe('Free space of the disk with the database, in bytes.'),
      bytesPerDay: count.describe('Growth of the raw events of all organisations, in bytes a day.'),
      daysLeft: count.nullable().describe('Days until the disk is full at this growth; null without growth.'),
    })
    .nullable()
    .describe('Disk of the database; null where PostgreSQL runs elsewhere, and for callers who don’t manage clients.'),
  hold: z
    .object({
      since: instant.describe('Start of the hold.'),
      reason: line.describe('Reason.'),
      by: name.describe('Requester.'),
    })
    .nullable()
    .describe(
      'Legal hold: nothing of the raw events, alerts and their evidence expires, and nothing is erased; null without one, and for callers who don’t manage clients.',
    ),
  request: retentionRequest
    .nullable()
    .describe('Request that waits for a second person; null without one, and for callers who don’t manage clients.'),
  erasure: z
    .object({
      startedAt: instant.describe('Time of the confirmation.'),
      finishedAt: instant.nullable().describe('End of the erasure; null while it runs.'),
      rows: count.describe('Rows deleted so far.'),
      bytes: count.describe('Their size in bytes.'),
      sha256: z.string().max(64).nullable().describe('SHA-256 of the certificate; null until it is finished.'),
    })
    .nullable()
    .describe('Erasure of all data of the client; null without one.'),
  can: z
    .object({
      save: z.boolean().describe('Change the retention.'),
      saveLimits: z.boolean().describe('Change the limits.'),
      request: z.boolean().describe('Request a legal hold, its end, or the erasure.'),
      decide: z.boolean().describe('Confirm or refuse requests of others.'),
    })
    .describe('Permissions of the caller.'),
});
export type RetentionState = z.infer<typeof retentionState>;

const retainedByClient = z.object({
  clientOrganizationID: organisationId.describe('The organisation.'),
  clientOrganizationName: name.describe('Its name.'),
  eventDays: days.describe('Days that events can be searched, as applied.'),
  archiveMonths: months.describe('Months in the archive, as applied.'),
  events: count.describe('Raw events that can be searched.'),
  oldest: instant.nullable().describe('Time of the oldest; null without events.'),
  bytes: count.describe('Their size in bytes.'),
  bytesPerDay: count.nullable().describe('Growth in bytes a day; null without events.'),
  archiveBytes: count.describe('Size of the archive in bytes.'),
  isHeld: z.boolean().describe('True under legal hold.'),
});

export const retentionApi = {
  list: endpoint({
    id: 'retention.list',
    route: 'GET /retention',
    allow: 'retention:write',
    freshness: 'none',
    summary: 'Lists the retention of every organisation in scope, and what is kept of its raw events.',
    answer: results(retainedByClient),
  }),
  get: endpoint({
    id: 'retention.get',
    route: 'GET /retention/:client',
    allow: 'clientDetails:read',
    freshness: 'none',
    summary: 'Returns the retention of an organisation, what is kept of its raw events, and its legal hold.',
    params: ofClient,
    answer: retentionState,
  }),
  save: endpoint({
    id: 'retention.save',
    route: 'PUT /retention/:client',
    allow: 'retention:write',
    freshness: 'fresh',
    summary:
      'Saves the retention of raw events, within the limits of the Host. Shorter retention deletes older events the next night.',
    params: ofClient,
    body: retentionChoice,
    answer: retentionState,
  }),
  saveLimits: endpoint({
    id: 'retention.saveLimits',
    route: 'PUT /retention',
    allow: 'installation:write',
    freshness: 'fresh',
    summary: 'Saves the limits within which the retention of an organisation can be chosen.',
    body: retentionLimits,
    answer: nothing,
  }),
  request: endpoint({
    id: 'retention.request',
    route: 'POST /retention/:client/requests',
    allow: 'legalHolds:write',
    freshness: 'freshSecondFactor',
    summary:
      'Requests a legal hold, its end, or the erasure of a client. A second person confirms it within seven days; a requested hold protects at once.',
    params: ofClient,
    body: z.object({
      kind: z.enum(requestKinds).describe('hold, lift or erase.'),
      reason: nameLine.describe('Reason, such as the reference of a court order or a contract.'),
    }),
    answer: retentionState,
  }),
  certificate: endpoint({
    id: 'retention.certificate',
    route: 'GET /retention/:client/certificate',
    allow: 'retention:write',
    freshness: 'none',
    summary: 'Returns the certificate of an erasure: every table with the number of rows and bytes, hashed and signed.',
    params: ofClient,
    query: z.object({ format: z.enum(['json', 'pdf']).describe('json, with hash and signature, or pdf.') }),
    answers: 'file',
    answer: nothing,
  }),
  decide: endpoint({
    id: 'retention.decide',
    route: 'POST /retention/:client/requests/:id',
    allow: 'retention:write',
    freshness: 'freshSecondFactor',
    summary:
      'Confirms or refuses a request. Confirming needs a second person: not the requester, nor an account that the requester controls.',
    params: ofClient.extend({ id: id.describe('The request.') }),
    body: z.object({ isConfirmed: z.boolean().describe('True to confirm, false to refuse or withdraw.') }),
    answer: retentionState,
  }),
};
