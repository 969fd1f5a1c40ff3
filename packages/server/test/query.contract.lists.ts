/** The lists of the contract as entities of typed queries: fields and filters with another name, and those without an attribute. */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';

export interface ListOfEntity {
  entity: QueryEntity;
  /** Field or filter → attribute. */
  as?: Readonly<Record<string, string>>;
  /** Field or filter → reason why no attribute is needed. */
  without?: Readonly<Record<string, string>>;
}

const permission = 'A permission of the caller for a button.';
const related = 'Related records: counted with `some`.';
const dayOfFeed = 'The age of the installation’s data.';
const idOnly = 'An ID; the name is asked about.';
const live = 'Recomputed at each reading (rules/risk.ts); the newest snapshot is asked about.';
const ofSeverity = { critical: related, high: related, priority: related };

/** Places in a list, and IDs of rows: of no list’s columns. */
export const everywhere: Readonly<Record<string, string>> = {
  page: 'Place in the list.',
  pageSize: 'Place in the list.',
  sort: 'Order, by an attribute.',
  order: 'Order.',
  query: 'A typed query itself.',
  before: 'Place in the list.',
  beforeID: 'Place in the list.',
  start: 'The timeframe.',
  end: 'The timeframe.',
  clientOrganizationID: idOnly,
  selectedClientOrganizationID: idOnly,
  selectedClientOrgID: idOnly,
};

/** By endpoint. */
export const lists: Readonly<Record<string, ListOfEntity>> = {
  'alerts.list': {
    entity: 'alert',
    as: { newAlert: 'status', criticalityNumber: 'severity', fate: 'disposition' },
    without: { ruleID: idOnly },
  },
  'cases.list': {
    entity: 'case',
    as: {
      incidentID: 'number',
      criticalityNumber: 'severity',
      breached: 'isBreached',
      waiting: 'isWaiting',
      excluded: 'isExcluded',
      answered: 'isAnswerUnseen',
      age: 'ageBand',
    },
    without: {
      confirmed: 'The status or the investigation is malicious, and no resolution differs.',
      analystUserAccountID: idOnly,
      version: 'Version for concurrent changes.',
    },
  },
  'cases.underInvestigation': { entity: 'case', without: { investigationStatusID: idOnly } },
  'cases.times': {
    entity: 'case',
    as: {
      meanMinutesToAcknowledge: 'timeToAcknowledge',
      meanMinutesToContain: 'timeToContain',
      meanMinutesToResolve: 'timeToClose',
      breached: 'isBreached',
    },
    without: { cases: 'The number of rows.', withinTarget: 'A share of cases by SLA timer.' },
  },
  'reviews.list': {
    entity: 'review',
    as: { decisionIDs: 'decision', decisionID: 'decision', analystIDs: 'reviewer', verdicts: 'verdict' },
    without: { id: idOnly },
  },
  'devices.list': {
    entity: 'device',
    without: { uuid: idOnly, alertCount: related },
  },
  'vulnerabilities.devices': {
    entity: 'device',
    as: { deviceName: 'name', deviceType: 'type', isOnline: 'state', scannedAt: 'lastScanAt' },
    without: { ...ofSeverity, medium: related, low: related, deviceUuid: idOnly },
  },
  'vulnerabilities.clients': {
    entity: 'client',
    as: { clientOrganizationName: 'name' },
    without: { ...ofSeverity, open: related, knownExploited: related, scanned: related, monitored: related },
  },
  'vulnerabilities.list': {
    entity: 'vulnerability',
    as: { exploited: 'isKnownExploited' },
    without: {
      id: idOnly,
      deviceUuid: idOnly,
      epssDay: dayOfFeed,
      epssReadAt: dayOfFeed,
      exploitedDay: dayOfFeed,
      exploitedReadAt: dayOfFeed,
      isInvented: 'True in demos only.',
    },
  },
  'responseDesk.list': {
    entity: 'response',
    as: { isManual: 'via', isByVendor: 'via' },
    without: { id: idOnly, mayApprove: permission, approvalRefusal: permission, mayUndo: permission },
  },
  'exceptions.list': {
    entity: 'suppression',
    as: { organisation: 'client', deviceName: 'device', userName: 'user', owner: 'owner' },
    without: {
      id: idOnly,
      organisationID: idOnly,
      ruleID: idOnly,
      kind: 'Suppressions only.',
      filter: 'Of exceptions.',
      lastTime: 'Of the last 30 days.',
      state: 'isActive',
    },
  },
  'suppressions.list': { entity: 'suppression', without: { id: idOnly, ruleID: idOnly } },
  'agents.list': { entity: 'collector', as: { text: 'device' }, without: { agentID: idOnly, deviceUuid: idOnly } },
  'users.list': {
    entity: 'account',
    as: { search: 'text', mfa: 'mfaIsSet' },
    without: { id: idOnly, profileURL: 'The address of a picture.' },
  },
  'tags.list': { entity: 'tag', without: { id: idOnly, isDeleted: 'Deleted tags are never listed.' } },
  'events.search': {
    entity: 'event',
    as: { by: 'receivedAt' },
    without: {
      id: idOnly,
      field: 'Conditions on ECS fields belong to the event search; `text` looks into all of them.',
      search: 'A language of its own.',
    },
  },
  'events.keptAside': { entity: 'rejected', without: { id: idOnly } },
  'audit.list': {
    entity: 'audit',
    as: { search: 'text' },
    without: { id: idOnly, before: 'A JSON document.', after: 'A JSON document.' },
  },
  'outbox.list': { entity: 'mail', as: { search: 'text' }, without: { id: idOnly } },
  'mailSubscriptions.list': { entity: 'mailSubscription', without: { userID: idOnly } },
  'reports.listSchedules': { entity: 'report', without: { id: idOnly } },
  'risk.history': { entity: 'risk' },
  'risk.clients': { entity: 'risk', without: { tempScore: live } },
  'dashboard.clients': {
    entity: 'client',
    as: { clientOrganizationName: 'name', tempScore: 'riskScore' },
    without: {
      openCases: related,
      malicious: related,
      oldestOpenTime: related,
      alerts: related,
      before: related,
      reporting: related,
      devices: related,
      spark: 'A chart.',
    },
  },
  'organisations.getAllClients': {
    entity: 'client',
    without: { id: idOnly, isPartner: 'Partners are asked about by the attribute partner.', partnerClientOrgID: idOnly },
  },
  'alerts.ruleNames': { entity: 'rule', without: { ruleID: idOnly, count: related, selectedClientOrganizationId: idOnly } },
};

/** Lists without an entity, with the reason. */
export const unlisted: Readonly<Record<string, string>> = {
  'eventExports.list': 'Files that the caller requested; they are gone after a day.',
  'events.history': 'The caller’s own searches.',
  'alerts.ofEvent': 'Alerts, which are asked about by their own list; an event is named by its ID.',
  'cases.answers': 'Cases with an unseen answer of the client: the same as their list’s filter.',
  'identities.list': 'Names that are one person: alerts and cases are asked about by user.',
  'domains.list': 'Settings of an organisation.',
  'domains.check': 'Settings of an organisation.',
  'domains.vouch': 'Settings of an organisation.',
  'retention.list': 'Settings of organisations, and sizes of what is kept.',
  'organisations.listDeactivated': 'Organisations of the past, which no other list shows.',
  'users.clientRoles': 'Choices of a form.',
  'attack.controls': 'NIST controls are an attribute of alerts and rules.',
  'risk.savePractices': 'The answer to a change.',
  'vulnerabilities.listAdvisorySources': 'Data of the installation, the same for every client.',
  'balance.get': 'A reconciliation by day: its figures are counts of other entities.',
  'devices.checkIns': 'A chart of devices by day.',
  'devices.timeline': 'One device in time: alerts, cases and responses are asked about.',
  'devices.upgrade': 'The answer to a change.',
  'cases.analysts': 'Choices of a form.',
  'cases.decisionResultTypes': 'Choices of a form.',
  'reviews.analysts': 'Choices of a form.',
  'responses.addTask': 'The answer to a change.',
  'responses.executeTasks': 'The answer to a change.',
  'responseDesk.listRules': 'Settings of a client.',
  'responseDesk.listProtected': 'Settings of a client; devices and users carry the attribute isProtected.',
  'caseMails.listOfCase': 'Emails of one case, with their texts; the outbox is asked about.',
  'intelligenceFeeds.list': 'Data of the installation, the same for every client.',
  'intelligence.list': 'Data of the installation, the same for every client.',
  'ingestKeys.list': 'Credentials.',
  'advisoryFeeds.list': 'Data of the installation, the same for every client.',
  'connections.kinds': 'Data of the installation, the same for every client.',
  'connections.test': 'What an account at a vendor may read now.',
  'connections.testStored': 'What an account at a vendor may read now.',
  'billing.list': 'Counts for billing: their devices and users are asked about.',
  'billing.items': 'Devices and users of a count.',
  'billing.targets': 'Settings of a client.',
  'deliveries.kinds': 'Data of the installation, the same for every client.',
  'deliveries.targets': 'Credentials for other systems.',
  'deliveries.rules': 'Settings of a client.',
  'deliveries.list': 'Deliveries to one target: their cases, responses and reports are asked about.',
  'deliveries.tickets': 'Tickets of another system: their cases are asked about.',
  'connections.caseIncidents': 'Incidents of one case at vendors.',
  'assistants.grants': 'The caller’s own account.',
  'proposals.list': 'Open proposals of assistants for one case.',
  'deliveries.caseTickets': 'Tickets of one case in another system.',
  'deliveries.preview': 'What a rule would have sent: its cases are asked about.',
  'looks.list': 'Accesses of people to data of clients: read in the access log only.',
  'isolation.findings': 'Results of a test of the installation; none in normal use.',
  'pastSearches.list': 'Searches that the portal starts itself; what they found are events and alerts, which are asked about.',
  'rulePacks.list': 'Settings of the installation.',
  'rulePacks.getImport': 'Rules that are not accepted.',
  'rules.list': 'States and settings of rules; what they found is asked about as alerts by rule.',
  'connections.list': 'Credentials of accounts; their data sources are devices.',
  'connectionInvites.list': 'Credentials: one-time links.',
  'vendorApplications.list': 'Credentials of the installation.',
  'imports.list': 'Work of people on files; their events are asked about.',
  'webhookSources.list': 'Credentials; their data sources are devices.',
  'webhookSources.preview': 'A sample of a form.',
  'webhookSources.versions': 'Configurations of a webhook.',
  'agents.listTokens': 'Credentials.',
  'agents.listReleases': 'Data of the installation, the same for every client.',
  'collectors.listVersions': 'Configurations of collectors, as text.',
  'account.sessions': 'The caller’s own credentials.',
  'account.apiKeys': 'The caller’s own credentials.',
  'account.browsers': 'The caller’s own credentials.',
  'account.chatAccounts': 'The caller’s own credentials.',
  'account.mintedByApiKey': 'Credentials.',
  'views.list': 'Stored views of lists.',
  'search.find': 'A search over records that are asked about themselves.',
  'sapphire.listQuestions': 'Administration of Sapphire.',
  'sapphire.listKnowledge': 'Administration of Sapphire.',
  'sapphire.listTeachers': 'Administration of Sapphire.',
  'sapphire.listSynonyms': 'Administration of Sapphire.',
};
