/** Detection rules: the set, its versions and their states, and how it differs by organisation. */
import { z } from 'zod';
import { alertTime } from './analystTime.ts';
import { endpoint, nothing } from './endpoint.ts';
import { connectorNames, missingField } from './missingFields.ts';
import {
  clientId,
  count,
  id,
  instant,
  line,
  listOf,
  name,
  nameLine,
  organisationId,
  page,
  results,
  severity,
} from './primitives.ts';
import { maxRuleLength, ofRule, ruleChange, ruleKey, ruleOwner, rulePreview, ruleYaml } from './rulePreviews.ts';

export const ruleStates = ['draft', 'tested', 'shadow', 'live', 'retired'] as const;
export type RuleState = (typeof ruleStates)[number];
export const ruleOrigins = ['builtIn', 'edited', 'own'] as const;
export type RuleOrigin = (typeof ruleOrigins)[number];
const reason = z.string().trim().min(5, 'Enter a justification of at least 5 characters.').max(2000).describe('Reason.');

export const ruleFault = z.object({
  line: z.number().int().min(1).describe('Line, from 1.'),
  severity: z.enum(['error', 'warning']).describe('An error prevents saving.'),
  text: line.describe('Fault, as a sentence.'),
  fix: z
    .object({
      name: line.describe('Label of the action.'),
      line: z.number().int().min(1).describe('Line that it changes, from 1.'),
      from: count.describe('First character of the text that it replaces.'),
      to: count.describe('Character after the last one.'),
      insert: z.string().max(500).describe('Text in its place.'),
    })
    .nullable()
    .describe('Change that removes the fault; null where several could be meant.'),
});
export type RuleFault = z.infer<typeof ruleFault>;

export const ruleRow = z.object({
  ruleID: ruleKey.describe('Rule ID.'),
  title: line.describe('Title.'),
  category: name.describe('Category.'),
  criticality: severity.describe('Severity for this client.'),
  logSource: line.describe('Log source: product, category, service.'),
  techniques: z.array(z.string().max(16)).max(50).describe('ATT&CK techniques.'),
  author: line.describe('Author.'),
  origin: z.enum(ruleOrigins).describe('builtIn: of the product; edited: of the product, changed here; own: made here.'),
  pack: name.nullable().describe('Pack that it is part of; null without one.'),
  state: z.enum(ruleStates).describe('live if the rule raises alerts; otherwise the state of its newest version.'),
  isOn: z.boolean().describe('False if it is switched off for this client.'),
  isCorrelation: z.boolean().describe('True for a rule over several events.'),
  exceptions: count.describe('Exceptions that hold for this client.'),
  alerts: count.describe('Alerts of the last 30 days.'),
  maliciousPercent: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe('Share of them in malicious cases, in percent; null without alerts.'),
  analystTime: alertTime.nullable().describe('Time of analysts for these alerts; null for clients.'),
  lastFired: z.iso.date().max(10).nullable().describe('Last day with an alert (UTC), of the last 60; null if there is none.'),
  shadowMatches: count.nullable().describe('Matches of the version in shadow in the last 30 days; null without one.'),
  fault: line
    .nullable()
    .describe('Fault of a live version that is not in force; null without one. A built-in text stays instead.'),
});
export type RuleRow = z.infer<typeof ruleRow>;

const version = z.object({
  id: id.describe('ID of the version.'),
  version: z.number().int().min(1).describe('Number.'),
  state: z.enum(ruleStates).describe('State.'),
  yaml: z.string().max(maxRuleLength).describe('Text.'),
  criticality: severity.describe('Severity.'),
  note: line.describe('Reason of the change; empty for clients.'),
  author: line.describe('Author.'),
  createdTime: instant.describe('Time of saving.'),
  shadowMatches: count.describe('Matches in shadow, in the caller’s scope.'),
  noiseBudget: count.describe('Matches of all clients within a day that end its shadow.'),
  isStopped: z.boolean().describe('True if the noise budget ended its shadow.'),
  next: z
    .array(
      z.object({
        state: z.enum(ruleStates).describe('State.'),
        refusal: line.nullable().describe('Reason for which the caller can’t set it; null if they can.'),
      }),
    )
    .max(5)
    .describe('States that can follow.'),
});
export type RuleVersion = z.infer<typeof version>;

const override = z.object({
  organisationID: organisationId.nullable().describe('The organisation; null for one above the caller’s.'),
  organisation: name.describe('Its name.'),
  isOn: z.boolean().nullable().describe('Switched on or off; null if inherited.'),
  criticality: severity.nullable().describe('Severity; null if inherited.'),
  reason: line.describe('Reason; empty for clients.'),
  owner: line.describe('Owner.'),
  changedTime: instant.describe('Time of the change.'),
});

const exception = z.object({
  id: id.describe('ID of the exception.'),
  organisationID: organisationId.nullable().describe('The organisation; null for one above the caller’s.'),
  organisation: name.describe('Its name.'),
  yaml: z.string().max(16_384).describe('Sigma filter.'),
  reason: line.describe('Reason; empty for clients.'),
  owner: line.describe('Owner.'),
  createdTime: instant.describe('Creation time.'),
  endTime: instant.describe('Expiry time.'),
  isActive: z.boolean().describe('True while active.'),
});

const ruleTest = z.object({
  id: id.describe('ID of the test.'),
  name: name.describe('Name.'),
  isMatch: z.boolean().describe('True if the rule must match the event.'),
  document: z.string().max(262_144).describe('Event, as JSON.'),
});
export type RuleTest = z.infer<typeof ruleTest>;

export const ruleDetail = ruleRow.extend({
  ownerID: organisationId.nullable().describe('Organisation that changes its text; null for one above the caller’s.'),
  yaml: z.string().max(maxRuleLength).describe('Text in force, or of the newest version.'),
  builtInYaml: z.string().max(maxRuleLength).nullable().describe('Text of the product; null for own rules.'),
  baseYaml: z.string().max(maxRuleLength).nullable().describe('Text of the product that the newest version began from.'),
  description: z.string().max(20_000).describe('Purpose.'),
  condition: z.string().max(20_000).describe('Condition.'),
  confidence: z.enum(['low', 'medium', 'high']).nullable().describe('Declared share of attacks among its matches.'),
  falsePositives: z.array(line).max(50).describe('Known false positives.'),
  health: z
    .object({
      canMatch: z
        .boolean()
        .describe('False if none of its log sources is live, or its fields are missing; for all clients in scope under 0.'),
      sources: z
        .array(
          z.object({
            logSource: line.describe('Log source.'),
            isLive: z.boolean().describe('True when a device sends it now.'),
            connectors: connectorNames,
          }),
        )
        .max(50)
        .describe('Log sources that it reads.'),
      missing: z.array(missingField).max(50).describe('Fields without which it can match nothing.'),
    })
    .nullable()
    .describe('State of its data; null for a rule that is not in force for the client.'),
  usedBy: z
    .array(z.object({ ruleID: ruleKey.describe('Rule ID.'), title: line.describe('Title.') }))
    .max(500)
    .describe('Correlations that count it.'),
  versions: z.array(version).max(500).describe('Versions, newest first.'),
  overrides: z
    .array(override)
    .max(1000)
    .describe('Differences from the set: of the client and what it inherits; of all clients in scope under 0.'),
  ruleExceptions: z.array(exception).max(1000).describe('Exceptions, active ones first.'),
  tests: z.array(ruleTest).max(200).describe('Events that it must or must not match.'),
  history: z
    .array(
      z.object({
        at: instant.describe('Time.'),
        actor: line.describe('Actor.'),
        action: line.describe('Action.'),
        version: z.number().int().nullable().describe('Version; null without one.'),
        why: line.describe('Reason.'),
      }),
    )
    .max(500)
    .describe('Changes, newest first; none for clients.'),
  canEdit: z.boolean().describe('True if the caller may change its text.'),
  canOverride: z.boolean().describe('True if the caller may change its severity and switch it.'),
  canExcept: z.boolean().describe('True if the caller may add exceptions.'),
});
export type RuleDetail = z.infer<typeof ruleDetail>;

export const ruleSorts = ['title', 'severity', 'alerts', 'malicious', 'lastFired', 'state'] as const;

export const rulesApi = {
  list: endpoint({
    id: 'rules.list',
    route: 'GET /rules/:client',
    allow: 'rules:read',
    freshness: 'none',
    summary: 'Lists the rules of a client, with what each found.',
    params: z.object({ client: clientId.describe('The client; 0 for the own set, with counts of all clients in scope.') }),
    query: z.object({
      ...page,
      search: z.string().trim().max(200).default('').describe('Part of title, ID, author or description.'),
      severity: listOf(severity).describe('Severities.'),
      state: listOf(z.enum([...ruleStates, 'off', 'fault'])).describe(
        'States; off: switched off for the client; fault: its live version is not in force.',
      ),
      origin: listOf(z.enum(ruleOrigins)).describe('Origins.'),
      product: listOf(z.string().max(100)).describe('Products of the log source.'),
      pack: z.string().trim().max(200).default('').describe('Name of a pack.'),
      technique: z.string().trim().max(16).default('').describe('ATT&CK technique, with its sub-techniques.'),
      noise: listOf(z.enum(['never', 'noisy', 'benign', 'noData'])).describe(
        'never: no alert in 60 days; noisy: more than 100 alerts in 30 days; benign: alerts, none in a malicious case; noData: in force, but its log sources are not live or its fields are missing.',
      ),
      sort: z.enum(ruleSorts).default('title').describe('Order.'),
      order: z.enum(['asc', 'desc']).default('asc').describe('Direction.'),
    }),
    answer: results(ruleRow, 200).extend({
      products: z
        .array(z.object({ name: name.describe('Product.'), count: count.describe('Rules.') }))
        .max(500)
        .describe('Products of all rules.'),
      packs: z
        .array(z.object({ name: name.describe('Pack.'), count: count.describe('Rules.') }))
        .max(500)
        .describe('Packs of all rules.'),
    }),
  }),
  get: endpoint({
    id: 'rules.get',
    route: 'GET /rules/:client/:ruleID',
    allow: 'rules:read',
    freshness: 'none',
    summary: 'Returns a rule: text, versions, tests, exceptions and history.',
    params: z.object({ client: clientId.describe('The client; 0 for the own set.'), ruleID: ruleKey.describe('Rule ID.') }),
    answer: ruleDetail,
  }),
  check: endpoint({
    id: 'rules.check',
    route: 'POST /rules/check',
    allow: 'rules:read',
    freshness: 'none',
    summary: 'Checks the text of a rule without saving it.',
    body: z.object({ yaml: ruleYaml.describe('Text.') }),
    answer: z.object({ faults: z.array(ruleFault).max(200).describe('Faults by line.') }),
  }),
  saveDraft: endpoint({
    id: 'rules.saveDraft',
    route: 'POST /rules/drafts',
    allow: 'rules:write',
    freshness: 'none',
    summary: 'Saves a draft: a new rule, or the next version of one. Built-in rules are changed by the provider.',
    body: z.object({
      ...ruleOwner,
      ruleID: ruleKey.nullable().describe('Rule ID; null for a new rule.'),
      afterVersion: count.describe('Newest version that the caller has seen; 0 for none. Refused if there is a newer one.'),
      yaml: ruleYaml.describe('Text.'),
      note: reason,
      noiseBudget: z.number().int().min(1).max(1_000_000).default(1000).describe('Matches within a day that end its shadow.'),
    }),
    answer: z.object({ ruleID: ruleKey.describe('Rule ID.'), version: count.describe('Number of the version.') }),
  }),
  changeState: endpoint({
    id: 'rules.changeState',
    route: 'PUT /rules/versions/:id',
    allow: 'rules:write',
    freshness: 'none',
    summary:
      'Changes the state of a version. It holds in all processes within seconds. Critical rules need a second person to go live.',
    params: z.object({ id: id.describe('ID of the version.') }),
    body: z.object({ state: z.enum(ruleStates).describe('State.'), why: reason }),
    answer: nothing,
  }),
  saveOverride: endpoint({
    id: 'rules.saveOverride',
    route: 'PUT /rules/overrides',
    allow: 'rules:write',
    freshness: 'none',
    summary: 'Changes severity or switches a rule for an organisation and those below it; without either it inherits again.',
    body: z.object({
      ...ofRule,
      isOn: z.boolean().nullable().describe('On or off; null to inherit.'),
      criticality: severity.nullable().describe('Severity; null to inherit.'),
      previewID: id
        .nullable()
        .default(null)
        .describe('Preview of this change by another person; required if it hides alerts of malicious cases.'),
      reason,
    }),
    answer: nothing,
  }),
  addException: endpoint({
    id: 'rules.addException',
    route: 'POST /rules/exceptions',
    allow: 'ruleExceptions:write',
    freshness: 'none',
    summary: 'Adds an exception: events that its Sigma filter excludes raise no alert for the organisation and those below it.',
    body: z.object({
      ...ofRule,
      yaml: z.string().min(1).max(16_384).describe('Sigma filter.'),
      reason,
      endTime: instant.describe('Expiry time, at most a year from now.'),
      previewID: id
        .nullable()
        .default(null)
        .describe('Preview of this change by another person; required if it hides alerts of malicious cases.'),
    }),
    answer: z.object({ id: id.describe('ID of the exception.') }),
  }),
  startPreview: endpoint({
    id: 'rules.startPreview',
    route: 'POST /rules/previews',
    allow: 'ruleExceptions:write',
    freshness: 'none',
    summary: 'Judges a change over stored events of its clients before it is saved, as a job.',
    body: z.object({
      change: ruleChange.describe('The change.'),
      days: z.number().int().min(1).max(400).default(30).describe('Days back from now.'),
    }),
    answer: z.object({ id: id.describe('ID of the preview.') }),
  }),
  getPreview: endpoint({
    id: 'rules.getPreview',
    route: 'GET /rules/previews/:id',
    allow: 'ruleExceptions:write',
    freshness: 'none',
    summary: 'Returns a preview: its progress, then its result.',
    params: z.object({ id: id.describe('ID of the preview.') }),
    answer: rulePreview,
  }),
  cancelPreview: endpoint({
    id: 'rules.cancelPreview',
    route: 'DELETE /rules/previews/:id',
    allow: 'ruleExceptions:write',
    freshness: 'none',
    summary: 'Cancels a preview.',
    params: z.object({ id: id.describe('ID of the preview.') }),
    answer: nothing,
  }),
  endException: endpoint({
    id: 'rules.endException',
    route: 'DELETE /rules/exceptions/:id',
    allow: 'ruleExceptions:write',
    freshness: 'none',
    summary: 'Ends an exception.',
    params: z.object({ id: id.describe('ID of the exception.') }),
    answer: nothing,
  }),
  addTest: endpoint({
    id: 'rules.addTest',
    route: 'POST /rules/tests',
    allow: 'rules:write',
    freshness: 'none',
    summary: 'Adds an event that a rule must or must not match.',
    body: z.object({
      ...ofRule,
      name: nameLine.describe('Name.'),
      isMatch: z.boolean().describe('True if the rule must match.'),
      document: z.string().min(2).max(262_144).describe('Event, as JSON.'),
    }),
    answer: z.object({ id: id.describe('ID of the test.') }),
  }),
  removeTest: endpoint({
    id: 'rules.removeTest',
    route: 'DELETE /rules/tests/:id',
    allow: 'rules:write',
    freshness: 'none',
    summary: 'Removes a test.',
    params: z.object({ id: id.describe('ID of the test.') }),
    answer: nothing,
  }),
};
