/** Connections: accounts at vendors whose events the portal fetches. Secrets are sealed and never returned. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, name, nameLine, organisationId, results } from './primitives.ts';

const kindId = z.string().max(40).describe('Kind of connection, from connections.kinds.');
const values = z
  .record(z.string().max(40), z.string().trim().max(10_000))
  .describe('Values of the kind’s fields, by the name of the field.');

export const connectionField = z.object({
  name: z.string().max(40).describe('Name of the value.'),
  label: line.describe('Label of the input.'),
  hint: line.describe('Help for the input.'),
  initial: line.describe('Value that the form begins with; empty for none.'),
  isSecret: z.boolean().describe('True for a value that is sealed and never returned.'),
  isLong: z.boolean().describe('True for a value of several lines.'),
  options: z
    .array(z.object({ value: z.string().max(40).describe('Value.'), label: line.describe('Label.') }))
    .max(20)
    .describe('Choices; empty for free text.'),
});

export const connectionActions = ['isolate', 'unisolate', 'disableUser', 'enableUser', 'revokeSessions', 'resetFactors'] as const;

/** Exchange of status between cases and the vendor's incidents. */
export const incidentModes = ['read', 'send', 'both'] as const;
export type IncidentMode = (typeof incidentModes)[number];
const incidentMode = z
  .enum(incidentModes)
  .describe(
    'read shows the vendor’s status at the case, send also changes incidents from cases, both also closes and reopens cases.',
  );

export const connectionPermission = z.object({
  api: line.describe('Interface as the vendor names it.'),
  name: line.describe('Permission as the vendor names it.'),
  opens: line.describe('Data that it opens.'),
});

export const connectionKind = z.object({
  id: kindId,
  title: line.describe('Product and log.'),
  documentation: line.describe('Address of the vendor’s description of the interface.'),
  steps: z.array(line).max(20).describe('Instructions for the client’s administrator, in order.'),
  fields: z.array(connectionField).max(20).describe('Inputs of the form.'),
  actions: z.array(z.enum(connectionActions)).max(20).describe('Responses that it can execute.'),
  actionStep: line.describe('Permissions that the account needs for responses, beyond reading; empty without them.'),
  incidentStep: line.describe('Permissions that changes of incidents need, beyond reading; empty for a kind without incidents.'),
  isPush: z.boolean().describe('True for a kind whose devices send to a port of the portal; nothing is fetched.'),
  permissions: z
    .array(connectionPermission)
    .max(20)
    .describe('Permissions to which an administrator can consent instead of entering values; empty for a kind without consent.'),
  example: values.nullable().describe('Values of the demo’s simulated vendor; null outside the demo.'),
});
export type ConnectionKind = z.infer<typeof connectionKind>;

export const connectionStates = ['waiting', 'receiving', 'retrying', 'stopped', 'paused'] as const;
export type ConnectionState = (typeof connectionStates)[number];

export const connection = z.object({
  id: z.number().int().describe('Connection ID.'),
  clientOrganizationID: organisationId.describe('Organisation of its events.'),
  kind: kindId,
  title: line.describe('Product and log.'),
  isPush: z.boolean().describe('True for a kind whose devices send to a port of the portal.'),
  name: name.describe('Name given by people.'),
  account: line.describe('Account at the vendor.'),
  source: line.describe('Data source of its events.'),
  state: z
    .enum(connectionStates)
    .describe(
      'waiting for its first pull or message, receiving, retrying after an error, stopped because access was refused, or paused.',
    ),
  error: line.nullable().describe('Newest error in words, or input that can’t be read while the rest is; null after a success.'),
  errorAt: instant.nullable().describe('Time of the error.'),
  pulledAt: instant.nullable().describe('Newest successful pull, or newest confirmation that the portal listens.'),
  nextAt: instant.nullable().describe('Next pull; null while paused or stopped.'),
  lastEventAt: instant.nullable().describe('Time of the newest event.'),
  lagSeconds: count.describe('Age of the newest event read while the vendor has more, in seconds; 0 when up to date.'),
  eventsLastDay: count.describe('Events stored in the last 24 hours, by full hours.'),
  devices: count.describe('Devices that the account lists.'),
  canAct: z.boolean().describe('True for a kind that can execute responses.'),
  mayAct: z.boolean().describe('True when a user allowed it to execute responses.'),
  incidentMode: incidentMode.nullable().describe('Exchange of status with the vendor’s incidents; null for a kind without them.'),
  incidentError: line
    .nullable()
    .describe('Newest failure to read or change incidents, such as a missing permission; null after a success.'),
  consentedBy: line.nullable().describe('Sign-in name of the administrator who consented; null for entered values.'),
  consentedAt: instant.nullable().describe('Time of the consent; null for entered values.'),
  createdAt: instant.describe('Creation time.'),
});
export type Connection = z.infer<typeof connection>;

export const caseIncident = z.object({
  kind: z.enum(['incident', 'alert']).describe('An alert where the vendor has no incident for it.'),
  vendorId: line.describe('Id at the vendor.'),
  title: line.describe('Title at the vendor.'),
  link: line.nullable().describe('Its page at the vendor.'),
  product: line.describe('Product of the vendor.'),
  connectionName: name.describe('Connection.'),
  incidentMode,
  status: line.describe('Status in the vendor’s words.'),
  isClosed: z.boolean().describe('True for a closed one.'),
  classification: line.describe('Classification and determination in words; empty without them.'),
  assignedTo: line.nullable().describe('Owner at the vendor.'),
  readAt: instant.nullable().describe('Newest reading; null before the first.'),
  isSending: z.boolean().describe('True while a change of the case is not confirmed by the vendor.'),
  error: line.nullable().describe('Failure of the newest attempt to change it.'),
  conflict: line.nullable().describe('Difference that one side did not take over; null without one.'),
  goneAt: instant.nullable().describe('Time at which the vendor no longer had it.'),
});
export type CaseIncident = z.infer<typeof caseIncident>;

const readable = z.object({
  what: line.describe('Kind of data.'),
  canRead: z.boolean().describe('True when the account may read it.'),
  detail: line.describe('Newest event, or the vendor’s refusal.'),
});

const mayAct = z.boolean().default(false).describe('True to let it execute approved responses.');

const ofClient = z.object({ client: id.describe('The client.') });
const ofConnection = ofClient.extend({ connection: id.describe('Connection ID.') });
const tested = results(readable, 20);

export const connectionsApi = {
  kinds: endpoint({
    id: 'connections.kinds',
    route: 'GET /connectionkinds',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the kinds of connections with their fields and instructions.',
    answer: results(connectionKind, 100),
  }),
  list: endpoint({
    id: 'connections.list',
    route: 'GET /connections/:client',
    allow: 'devices:read',
    freshness: 'none',
    summary: 'Lists the connections of a client, or of all clients in scope.',
    params: z.object({ client: clientId.describe('The client; 0 for all.') }),
    answer: results(connection),
  }),
  test: endpoint({
    id: 'connections.test',
    route: 'POST /connections/:client/test',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Tries values at the vendor without storing them.',
    params: ofClient,
    body: z.object({ kind: kindId, values }),
    answer: tested,
  }),
  create: endpoint({
    id: 'connections.create',
    route: 'POST /connections/:client',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Adds a connection and starts fetching its events.',
    params: ofClient,
    body: z.object({
      kind: kindId,
      name: nameLine.describe('Name for people.'),
      values,
      mayAct,
      incidentMode: incidentMode
        .default('read')
        .describe('Exchange of status with the vendor’s incidents; read for a kind without them.'),
    }),
    answer: connection,
  }),
  testStored: endpoint({
    id: 'connections.testStored',
    route: 'POST /connections/:client/:connection/test',
    allow: 'connections:write',
    freshness: 'none',
    summary: 'Tries a connection with its stored values.',
    params: ofConnection,
    answer: tested,
  }),
  pause: endpoint({
    id: 'connections.pause',
    route: 'PUT /connections/:client/:connection',
    allow: 'connections:write',
    freshness: 'none',
    summary: 'Pauses or resumes a connection. A resumed one continues where it stopped.',
    params: ofConnection,
    body: z.object({ isPaused: z.boolean().describe('True to pause, false to resume.') }),
    answer: nothing,
  }),
  read: endpoint({
    id: 'connections.read',
    route: 'POST /connections/:client/:connection/read',
    allow: 'connections:write',
    freshness: 'none',
    summary: 'Reads a connection now instead of at its next time. A vendor that limits requests is waited for.',
    params: ofConnection,
    answer: nothing,
  }),
  allowResponses: endpoint({
    id: 'connections.allowResponses',
    route: 'PUT /connections/:client/:connection/responses',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary:
      'Allows a connection to execute responses, or forbids it. Actions that the vendor has accepted are followed to their end.',
    params: ofConnection,
    body: z.object({ mayAct: z.boolean().describe('True to allow.') }),
    answer: nothing,
  }),
  setIncidentMode: endpoint({
    id: 'connections.setIncidentMode',
    route: 'PUT /connections/:client/:connection/incidents',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Sets how cases and the vendor’s incidents exchange their status. Only later changes are exchanged.',
    params: ofConnection,
    body: z.object({ incidentMode }),
    answer: nothing,
  }),
  caseIncidents: endpoint({
    id: 'connections.caseIncidents',
    route: 'GET /caseincidents/:caseId',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Lists the incidents of vendors that the alerts of a case belong to, as they were read newest.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    answer: results(caseIncident, 50),
  }),
  replaceSecrets: endpoint({
    id: 'connections.replaceSecrets',
    route: 'PUT /connections/:client/:connection/secrets',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Replaces the secrets of a connection after trying them, and resumes it.',
    params: ofConnection,
    body: z.object({ values }),
    answer: nothing,
  }),
  remove: endpoint({
    id: 'connections.remove',
    route: 'DELETE /connections/:client/:connection',
    allow: 'connections:write',
    freshness: 'freshOrKey',
    summary: 'Removes a connection with its secrets. Its events stay.',
    params: ofConnection,
    answer: nothing,
  }),
};
