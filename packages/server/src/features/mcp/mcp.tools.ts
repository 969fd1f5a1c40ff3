/** Read-only tools over the services of the screens, each with the answer of its call, and the tools that propose. */
import { allClients, hasClientSelector } from '@parapet/contract/access.ts';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { devicesApi } from '@parapet/contract/devices.ts';
import { eventsApi } from '@parapet/contract/events.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { reportsApi } from '@parapet/contract/reports.ts';
import { caseStatusValues } from '@parapet/contract/rules/cases.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { judgedVerdicts, judgementOfDetail, judgementText } from '@parapet/contract/rules/judgement.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { z } from 'zod';
import type { Actor } from '../../core/http/actor.ts';
import { parsePart } from '../../core/http/serve.ts';
import { storyText } from '../../domain/story.ts';
import { proposing } from './mcp.proposing.ts';
import { caseField, type Tool, tool } from './mcp.tool.ts';

const client = z
  .number()
  .int()
  .min(0)
  .max(2_147_483_647)
  .default(allClients)
  .describe('Client ID from list_clients; 0 for all in scope.');
const days = z.number().int().min(1).max(90).default(7).describe('Days back from now.');
const text = z.string().trim().max(200).default('');
const limit = z.number().int().min(1).max(50).default(20).describe('Maximum number of rows.');
const severity = z.array(z.enum(severities)).max(5).default([]).describe('Severities; empty for all.');

/** People without a client selector read their own organisation. */
const clientFor = (actor: Actor, given: number): number =>
  given || (hasClientSelector(actor) ? allClients : actor.organisationId);

const rangeOf = (now: number, back: number) => ({
  start: new Date(now - back * dayMs).toISOString(),
  end: new Date(now + 60_000).toISOString(),
});
const commas = (values: readonly string[]) => (values.length > 0 ? values.join(',') : undefined);

const listClients = tool({
  name: 'list_clients',
  title: 'List clients',
  description: 'Lists the organisations that this key may read, with the IDs that the other tools take.',
  endpoint: organisationsApi.getAllClients,
  input: z.object({}),
  run: async ({ organisations }, actor) => organisationsApi.getAllClients.answer.parse(await organisations.getAllClients(actor)),
});

const searchAlerts = tool({
  name: 'search_alerts',
  title: 'Search alerts',
  description: 'Lists alerts of a timeframe, newest first: rule, severity, device, user, ATT&CK technique and count.',
  endpoint: alertsApi.list,
  input: z.object({
    client,
    days,
    severity,
    text: text.describe('Substring of the summary, rule, device or user; empty for all.'),
    limit,
  }),
  async run({ alerts }, actor, args, now) {
    const { start, end } = rangeOf(now, args.days);
    const query = parsePart(alertsApi.list.query, {
      text: args.text,
      severity: commas(args.severity),
      page: 1,
      pageSize: args.limit,
    });
    return alertsApi.list.answer.parse(await alerts.list(actor, clientFor(actor, args.client), start, end, query));
  },
});

const searchCases = tool({
  name: 'search_cases',
  title: 'Search cases',
  description: 'Lists cases opened in a timeframe, newest first: severity, status, verdict, confidence, devices and users.',
  endpoint: casesApi.list,
  input: z.object({
    client,
    days,
    severity,
    status: z.array(z.enum(caseStatusValues)).max(7).default([]).describe('Statuses; empty for all.'),
    verdict: z
      .array(z.enum(judgedVerdicts))
      .max(judgedVerdicts.length)
      .default([])
      .describe('Verdicts, those of people before those of decisioning; empty for all.'),
    text: text.describe('Substring of the title, a device or a user; or a case number. Empty for all.'),
    limit,
  }),
  async run({ cases }, actor, args, now) {
    const body = parsePart(casesApi.list.body, {
      filters: { severity: args.severity, status: args.status, verdict: args.verdict, text: args.text },
      selectedClientOrganizationID: clientFor(actor, args.client),
      ...rangeOf(now, args.days),
      page: 1,
      pageSize: args.limit,
    });
    return casesApi.list.answer.parse(await cases.list(actor, body));
  },
});

const maxArtifacts = 50;

const explainCase = tool({
  name: 'explain_case',
  title: 'Explain a case',
  description:
    'Explains a case: its story, the verdict with cited evidence, attack steps, artifacts with their reputation, and responses. Notes are not included.',
  endpoint: casesApi.detail,
  input: z.object({ case: caseField }),
  async run({ cases }, actor, { case: id }) {
    const detail = casesApi.detail.answer.parse(await cases.detail(actor, id, clientFor(actor, allClients)));
    const { caseGeneralInfo: info, clientOrganizationDetails, story, decisioning, autonomousResponseData, responses } = detail;
    const { caseArtifacts: artifacts } = autonomousResponseData;
    return {
      id: info.id,
      title: info.title,
      client: clientOrganizationDetails.clientOrganization,
      severity: info.criticality,
      status: info.status,
      openedAt: info.createdTime,
      closedAt: info.closedTime,
      alerts: info.alertCount,
      tactics: info.tactics,
      judgement: judgementText(judgementOfDetail(detail)),
      story: storyText(story.clauses),
      steps: story.steps,
      verdict: decisioning && {
        verdict: decisioning.verdict,
        confidence: decisioning.confidenceScore,
        evidence: decisioning.evidence.map((evidence) => evidence.text),
      },
      responses: responses.map(({ action, target, state, requestedTime }) => ({ action, target, state, requestedTime })),
      // Last: the longest part, and the one that may lose rows.
      artifacts: artifacts.slice(0, maxArtifacts),
      ...(artifacts.length > maxArtifacts && { omitted: artifacts.length - maxArtifacts }),
    };
  },
});

const searchDevices = tool({
  name: 'search_devices',
  title: 'Search devices',
  description: 'Lists devices by name with type, state, newest event and number of alerts in a timeframe.',
  endpoint: devicesApi.list,
  input: z.object({ client, days, text: text.describe('Substring of the device name; empty for all.'), limit }),
  async run({ devices }, actor, args, now) {
    const { start, end } = rangeOf(now, args.days);
    const query = parsePart(devicesApi.list.query, { text: args.text, page: 1, pageSize: args.limit });
    return devicesApi.list.answer.parse(await devices.list(actor, clientFor(actor, args.client), start, end, query));
  },
});

const searchEvents = tool({
  name: 'search_events',
  title: 'Search events',
  description:
    'Lists raw events of a timeframe of up to 31 days, newest first, each with its time, device, user and whole document.',
  endpoint: eventsApi.search,
  input: z.object({
    client,
    days: z.number().int().min(1).max(31).default(1).describe('Days back from now.'),
    search: z
      .string()
      .trim()
      .max(1_000)
      .default('')
      .describe('Search in Kibana’s query language, such as user.name: alice; empty for all.'),
    limit,
  }),
  async run({ events }, actor, args, now) {
    const { start, end } = rangeOf(now, args.days);
    const query = parsePart(eventsApi.search.query, { search: args.search, pageSize: args.limit });
    return eventsApi.search.answer.parse(
      await events.search(actor, { client: clientFor(actor, args.client), start, end }, query),
    );
  },
});

const monthlyReport = tool({
  name: 'monthly_report',
  title: 'Read a monthly report',
  description: 'Returns the figures and sections of the monthly report of one client.',
  endpoint: reportsApi.get,
  input: z.object({
    client: z.number().int().min(1).max(2_147_483_647).describe('Client ID from list_clients, or the own organisation.'),
    year: z.number().int().min(2000).max(9998).describe('Year.'),
    month: z.number().int().min(1).max(12).describe('Month.'),
  }),
  run: async ({ reports }, actor, args) =>
    reportsApi.get.answer.parse(await reports.get(actor, args.client, { year: args.year, month: args.month })),
});

export const tools: readonly Tool[] = [
  searchAlerts,
  searchCases,
  explainCase,
  searchEvents,
  searchDevices,
  listClients,
  monthlyReport,
  ...proposing,
];
