/** Sets by which alerts are grouped into cases: versions with their life, and previews over past alerts. */

import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, severity } from './primitives.ts';
import { maxMaliciousCases, previewHead } from './rulePreviews.ts';
import { commonKinds, groupingParameters } from './rules/grouping.ts';

export const groupingStates = ['draft', 'shadow', 'live', 'retired'] as const;
export type GroupingState = (typeof groupingStates)[number];

const parameter = z.enum(groupingParameters.map(({ id }) => id) as [string, ...string[]]);
const reason = z.string().trim().min(5, 'Enter a justification of at least 5 characters.').max(2000).describe('Reason.');

export const groupingSet = z.object({
  parameters: z
    .array(
      z.object({
        parameter: parameter.describe('Parameter: `<rule>.<field>`.'),
        value: z
          .number()
          .int()
          .min(0)
          .max(100_000)
          .describe(
            'Value in the unit of the parameter; switches: 0 or 1; severities: 1…5; tactics: sum of 2^place in the order of ATT&CK.',
          ),
      }),
    )
    .max(200)
    .describe('Values that differ from the inherited ones.'),
  common: z
    .array(
      z.object({
        kind: z.enum(commonKinds).describe('Kind. A user without a domain stands for the account in every domain.'),
        value: z.string().trim().min(1).max(300).describe('User name, device name, address or hash.'),
        reason: z.string().trim().max(500).describe('Reason.'),
      }),
    )
    .max(500)
    .describe('Entities that join no alerts, beside the inherited ones.'),
});
export type GroupingSetInput = z.infer<typeof groupingSet>;

export const groupingChange = groupingSet.extend({
  clientOrganizationID: organisationId.describe(
    'The organisation: the provider for all, a partner for its clients, or a client.',
  ),
});
export type GroupingChange = z.infer<typeof groupingChange>;

const version = groupingSet.extend({
  id: id.describe('ID of the version.'),
  version: count.describe('Number.'),
  state: z.enum(groupingStates).describe('State.'),
  note: line.describe('Note.'),
  author: line.describe('Author.'),
  createdTime: instant.describe('Creation time.'),
  shadow: z
    .object({
      days: count.describe('Days with alerts.'),
      opened: count.describe('Cases that it would have opened.'),
      liveOpened: count.describe('Cases that the live set opened.'),
      joined: count.describe('Alerts that it would have added to cases.'),
      liveJoined: count.describe('Alerts that the live set added.'),
      differing: count.describe('Alerts that only one of the two adds to a case.'),
    })
    .nullable()
    .describe('Counts in shadow within 30 days, of the clients in scope; null without any.'),
});
export type GroupingVersion = z.infer<typeof version>;

export const groupingPreview = z.object({
  ...previewHead,
  change: groupingChange.describe('The change.'),
  scanned: count.describe('Alerts judged so far.'),
  total: count.describe('Alerts of the range.'),
  clients: z
    .array(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Its name.'),
        alerts: count.describe('Alerts judged.'),
        from: instant.nullable().describe('Time of the first of them; null without alerts.'),
        isPartial: z.boolean().describe('True if only the newest alerts of the range were judged.'),
        before: count.describe('Cases by the set in force.'),
        after: count.describe('Cases with the change.'),
        gained: count.describe('Cases that only the change opens.'),
        lost: count.describe('Cases of which no alert would be in a case.'),
        joined: count.describe('Cases that hold several of the present ones.'),
        split: count.describe('Present cases whose alerts would be in several.'),
        changed: count.describe('Cases with more or fewer alerts.'),
        alertsIn: count.describe('Alerts that only the change puts into a case.'),
        alertsOut: count.describe('Alerts that would no longer be in a case.'),
      }),
    )
    .max(500)
    .describe('Result by client.'),
  clientsLeftOut: count.describe('Clients beyond the first 500, which were not judged.'),
  days: z
    .array(
      z.object({
        day: z.iso.date().max(10).describe('Day (UTC) of the opening.'),
        gained: count.describe('Cases that only the change opens.'),
        lost: count.describe('Cases that would not open.'),
      }),
    )
    .max(400)
    .describe('Result by day, days without a difference left out.'),
  minutes: z.number().int().describe('Minutes of analysts: difference of cases by the minutes for a case; negative if fewer.'),
  minutesPerCase: z.number().int().min(1).max(1_000).describe('Minutes of an analyst for a case.'),
  maliciousCases: z
    .array(
      z.object({
        caseID: id.describe('Case.'),
        clientOrganizationID: organisationId.describe('The client.'),
        alerts: count.describe('Its alerts that would be in no case.'),
      }),
    )
    .max(maxMaliciousCases)
    .describe('Malicious cases that would lose alerts.'),
  examples: z
    .array(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Its name.'),
        kind: z.enum(['lost', 'gained', 'joined', 'split']).describe('Kind of difference.'),
        rule: line.describe('Rule of the first alert.'),
        criticality: severity.describe('Severity of the first alert.'),
        at: instant.describe('Time of the opening.'),
        count: count.describe('Alerts.'),
        deviceName: line.nullable().describe('Device of the first alert.'),
        userName: line.nullable().describe('User of the first alert.'),
        caseID: z.number().int().nullable().describe('Case that holds its first alert today; null without one.'),
      }),
    )
    .max(80)
    .describe('First differences of each kind.'),
});
export type GroupingPreview = z.infer<typeof groupingPreview>;

export const groupingDetail = z.object({
  clientOrganizationID: organisationId.describe('Owner of the versions.'),
  organisation: name.describe('Its name.'),
  parameters: z
    .array(
      z.object({
        parameter: parameter.describe('Parameter.'),
        value: z.number().int().describe('Value in force.'),
        inherited: z.number().int().describe('Value without the own set.'),
        from: z.enum(['builtIn', 'provider', 'partner', 'own']).describe('Level that sets the value in force.'),
      }),
    )
    .max(200)
    .describe('All parameters.'),
  inheritedCommon: groupingSet.shape.common.describe('Inherited entities that join no alerts.'),
  versions: z.array(version).max(200).describe('Own versions, newest first.'),
  overrides: z
    .array(
      z.object({
        clientOrganizationID: organisationId.describe('The organisation.'),
        organisation: name.describe('Its name.'),
        state: z.enum(['shadow', 'live']).describe('State.'),
        differences: count.describe('Parameters and entities that differ.'),
      }),
    )
    .max(1_000)
    .describe('Organisations with a set that is live or in shadow.'),
  history: z
    .array(
      z.object({
        at: instant.describe('Time.'),
        actor: line.describe('Actor.'),
        action: line.describe('Action.'),
        version: count.describe('Version.'),
        why: line.describe('Reason.'),
      }),
    )
    .max(500)
    .describe('Changes, newest first.'),
});
export type GroupingDetail = z.infer<typeof groupingDetail>;

const allow = 'caseGrouping:write' as const;
const nothing = z.object({});

export const caseGroupingApi = {
  get: endpoint({
    id: 'caseGrouping.get',
    route: 'GET /casegrouping/:client',
    allow,
    freshness: 'none',
    summary: 'Returns the set by which alerts are grouped into cases, with its versions. For the provider only.',
    params: z.object({ client: clientId.describe('The organisation; 0 for the provider, whose set holds for all.') }),
    answer: groupingDetail,
  }),
  saveDraft: endpoint({
    id: 'caseGrouping.saveDraft',
    route: 'POST /casegrouping/drafts',
    allow,
    freshness: 'none',
    summary: 'Saves a draft: the next version of an organisation’s set.',
    body: groupingChange.extend({
      afterVersion: count.describe('Newest version that the caller has seen; 0 for none. Refused if there is a newer one.'),
      note: reason,
    }),
    answer: z.object({ id: id.describe('ID of the version.'), version: count.describe('Its number.') }),
  }),
  changeState: endpoint({
    id: 'caseGrouping.changeState',
    route: 'PUT /casegrouping/versions/:id',
    allow,
    freshness: 'none',
    summary:
      'Changes the state of a version. It holds for the next alert in all processes. Live needs a finished preview of the version over at least 7 days or all alerts that are kept, and a second person if malicious cases would lose alerts or clients were not judged in full.',
    params: z.object({ id: id.describe('ID of the version.') }),
    body: z.object({
      state: z.enum(groupingStates).describe('State.'),
      why: reason,
      previewID: id.nullable().default(null).describe('Finished preview of this version; required for live.'),
    }),
    answer: nothing,
  }),
  startPreview: endpoint({
    id: 'caseGrouping.startPreview',
    route: 'POST /casegrouping/previews',
    allow,
    freshness: 'none',
    summary: 'Groups the past alerts of the clients with and without a change, as a job.',
    body: groupingChange.extend({
      days: z.number().int().min(1).max(400).default(30).describe('Days back from now.'),
      minutesPerCase: z
        .number()
        .int()
        .min(1)
        .max(1_000)
        .nullable()
        .default(null)
        .describe('Minutes of an analyst for a case; null for the rate of the installation.'),
    }),
    answer: z.object({ id: id.describe('ID of the preview.') }),
  }),
  getPreview: endpoint({
    id: 'caseGrouping.getPreview',
    route: 'GET /casegrouping/previews/:id',
    allow,
    freshness: 'none',
    summary: 'Returns a preview: its progress, then its result.',
    params: z.object({ id: id.describe('ID of the preview.') }),
    answer: groupingPreview,
  }),
  cancelPreview: endpoint({
    id: 'caseGrouping.cancelPreview',
    route: 'DELETE /casegrouping/previews/:id',
    allow,
    freshness: 'none',
    summary: 'Cancels a preview.',
    params: z.object({ id: id.describe('ID of the preview.') }),
    answer: nothing,
  }),
};
