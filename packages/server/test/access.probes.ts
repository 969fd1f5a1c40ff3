/** One probe per call; access.probes.kinds.ts defines the kinds. */

import { insertRow } from '../src/core/db/rows.ts';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { places } from './access.fixture.ts';
import { accountProbes } from './access.probes.account.ts';
import { agentProbes } from './access.probes.agents.ts';
import { billingProbes } from './access.probes.billing.ts';
import { connectionProbes } from './access.probes.connections.ts';
import { deliveryProbes } from './access.probes.deliveries.ts';
import { object, organisation, overRange, type Probe, range, type SkillContext } from './access.probes.kinds.ts';
import { reportProbes } from './access.probes.reports.ts';
import { riskProbes } from './access.probes.risk.ts';
import { ruleProbes } from './access.probes.rules.ts';
import { sapphireProbes } from './access.probes.sapphire.ts';
import { vulnerabilityProbes } from './access.probes.vulnerabilities.ts';

const strong = 'Ein-Langes-Wort-2026!';

const aClient = async ({ world, place }: SkillContext): Promise<number> => {
  const parent = { client: 'partner', sibling: 'partner', foreignClient: 'otherPartner', providerClient: 'provider' }[
    place as 'client'
  ];
  return parent === undefined ? places[place] : world.newClient(parent as 'partner');
};

/** A recall without files. */
const aRecall = async ({ world, id, things, isMissing }: SkillContext): Promise<number> => {
  if (isMissing || id === 0) return 999_999;
  const at = new Date();
  const row = { organisation_id: id, case_id: things.caseId, first_day: '2026-01-01', last_day: '2026-01-01', released_at: null };
  const by = {
    requested_by: null,
    requested_by_name: 'Probe',
    requested_at: at,
    expires_at: new Date(at.getTime() + 86_400_000),
  };
  const insert = (tx: Tx) =>
    tx
      .insertInto('recalls')
      .values({ ...row, ...by })
      .returning('id')
      .executeTakeFirstOrThrow();
  return (await scoped(world.t.db, 'system', insert)).id;
};

/** An open proposal: each is decided once. */
const aProposal = async ({ world, id, things, isMissing }: SkillContext): Promise<number> => {
  if (isMissing || id === 0) return things.proposalId;
  const request = JSON.stringify({ action: 'collectFile', target: '/etc/hosts', deviceName: 'host-1', warning: '' });
  const of = { organisation_id: id, case_id: things.caseId, kind: 'response', text: 'Proposal', request } as const;
  const by = { proposed_by: world.users.host.id, proposed_by_name: 'Proposer', proposed_at: new Date() };
  return scoped(world.t.db, 'system', (tx) => insertRow(tx, 'case_proposals', { ...of, ...by }));
};

const general = {
  name: 'Renamed',
  phoneNumber: '',
  emailAddress: '',
  websiteURL: '',
  industry: '',
  addressData: { street: '', suite: '', city: '', state: '', zipCode: '' },
  subscriptionLevelID: 1,
};
const detail = (body: unknown, more: Partial<Probe> = {}): Probe => organisation(({ id }) => ({ params: { id }, body }), more);

const aView = () => ({ list: 'alerts', name: `View ${++number}`, query: '', isShared: true });

let number = 0;

/** Tokens of no challenge. */
const aPasskey = {
  name: 'probe',
  passkey: { id: 'AA', rawId: 'AA', type: 'public-key', response: { clientDataJSON: 'AA', attestationObject: 'AA' } },
};

const aSuppression = { deviceName: 'host-7', reason: 'Known scanner', endTime: '2027-01-01T00:00:00Z' };

export const probes: Record<string, Probe> = {
  ...agentProbes,
  ...connectionProbes,
  ...deliveryProbes,
  ...accountProbes,
  ...billingProbes,
  ...riskProbes,
  ...sapphireProbes,
  ...reportProbes,
  ...ruleProbes,
  ...vulnerabilityProbes,
  'alerts.exportList': overRange,
  'cases.list': organisation(({ id }) => ({ body: { selectedClientOrganizationID: id, ...range } }), { takesAll: true }),
  'cases.filters': overRange,
  'cases.exportList': overRange,
  'cases.times': overRange,
  'cases.analysts': organisation(({ id }) => ({ params: { clientOrgId: id } }), { takesAll: true }),
  'cases.decisionResultTypes': { names: 'self', input: () => ({}) },
  'cases.underInvestigation': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'cases.detail': organisation(({ id, things }) => ({ params: { id: things.caseId, clientOrgId: id } }), { takesAll: true }),
  'recalls.list': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'recalls.request': object(({ things }) => ({
    params: { caseId: things.caseId },
    body: { firstDay: '2026-01-01', lastDay: '2026-01-02', keepDays: 7 },
  })),
  'recalls.release': object(async (context) => ({ params: { caseId: context.things.caseId, id: await aRecall(context) } })),
  'cases.alerts': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'cases.graph': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'cases.exportJson': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'cases.exportStix': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'cases.exportArchive': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'cases.exportPdf': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'cases.saveNarrative': organisation(({ id, things }) => ({
    params: { clientId: id },
    body: { caseID: things.caseId, text: 'Narrative' },
  })),
  'cases.addAlert': object(({ things }) => ({ body: { caseID: things.caseId, alertID: things.alertId } })),
  'cases.saveNote': object(({ things }) => ({ body: { caseID: things.caseId, text: 'Note' } })),
  'proposals.list': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'proposals.decide': object(async (context) => ({ params: { id: await aProposal(context) }, body: { isAccepted: false } }), {
    fresh: { isAccepted: true },
  }),
  'cases.changeAnalyst': object(({ things }) => ({ body: { caseID: things.caseId, analystUserAccountID: null } })),
  'cases.changeInvestigationStatus': object(({ things }) => ({ body: { caseID: things.caseId, investigationStatus: 2 } })),
  'cases.acknowledge': object(({ things }) => ({ body: { incidentID: things.caseId } })),
  'cases.changeStatus': object(({ things }) => ({ body: { incidentID: things.caseId, caseStatus: 'investigating' } })),
  'cases.openItems': object(({ things }) => ({ params: { caseId: things.caseId } })),
  'cases.answers': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'cases.answerSeen': object(({ things }) => ({ body: { caseID: things.caseId } })),
  'cases.markSeen': object(({ things }) => ({ body: { caseID: things.caseId } })),
  'cases.markUnseen': object(({ things }) => ({ body: { caseID: things.caseId } })),
  'reviews.list': organisation(({ id }) => ({ body: { filter: { clientOrganizationID: id } } }), { takesAll: true }),
  'reviews.analysts': { names: 'self', input: () => ({}) },
  'reviews.updateAnalyst': object(({ things }) => ({
    body: { caseID: things.caseId, ID: things.reviewId, AnalystUserAccountID: null },
  })),
  'reviews.updateDecision': object(({ things }) => ({ body: { ID: things.reviewId, decisionID: 17 } })),
  'reviews.markIncorrect': object(({ things }) => ({ body: { caseID: things.caseId } })),
  'reviews.updateDecisioningCorrectness': object(({ things }) => ({
    body: { caseID: things.caseId, isAIDecisioningCorrect: true },
  })),
  'reviews.calibration': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'responses.isolateHost': object(
    ({ things }) => ({
      body: { caseID: things.caseId, deviceID: things.deviceId, isIsolated: true },
    }),
    { fresh: {} },
  ),
  'responses.issueBlockToken': object(({ things }) => ({ body: { caseID: things.caseId, userID: 'ada' } })),
  'responses.blockUser': object(async ({ world, person, place, isMissing }) => ({
    params: { token: isMissing ? 'a'.repeat(43) : await world.newBlockToken(person, place) },
    body: { isDisabled: true },
  })),
  'responses.acknowledge': object(({ things }) => ({ params: { id: things.responseId }, body: { isDone: true } })),
  'responses.executeTasks': object(({ things }) => ({ body: { caseID: things.caseId, taskNumbers: [1] } })),
  'responses.addTask': object(({ things }) => ({ body: { caseID: things.caseId, action: 'disable', target: 'ada' } })),
  'caseMails.preview': object(({ things }) => ({ body: { caseID: things.caseId, kind: 'update' } })),
  'caseMails.sendEscalation': object(({ things }) => ({ body: { caseID: things.caseId } })),
  'caseMails.sendUpdate': object(({ things }) => ({ body: { caseID: things.caseId } })),
  'caseMails.signature': organisation(({ id }) => ({ params: { clientId: id } })),
  'caseMails.sendCustom': organisation(({ id, things }) => ({
    params: { clientId: id },
    body: { caseID: things.caseId, to: ['reader@test.example'], subject: 'Subject', text: 'Text' },
  })),
  'caseMails.sendNarrative': object(({ things }) => ({ body: { caseNarrativeID: things.narrativeId } })),
  'caseMails.listOfCase': organisation(({ id, things }) => ({ params: { clientOrgId: id }, query: { caseId: things.caseId } }), {
    takesAll: true,
  }),
  'caseMails.answer': object(({ things }) => ({ body: { caseID: things.caseId, action: 'benign' } })),
  'mailSubscriptions.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'mailSubscriptions.update': object(({ things }) => ({ params: { id: things.userId }, body: { kinds: ['digest.weekly'] } })),
  'mailSubscriptions.mine': { names: 'self', input: () => ({}) },
  'mailSubscriptions.updateMine': { names: 'self', input: () => ({ body: { kinds: ['digest.weekly'] } }) },
  'identities.list': organisation(({ id }) => ({ params: { client: id } })),
  'identities.merge': organisation(({ id }) => ({
    body: { clientOrganizationID: id, name: 'ana', sameAs: 'ana.silva@corp.example', reason: 'One person' },
  })),
  'identities.switchRule': organisation(({ id }) => ({
    body: { clientOrganizationID: id, kind: 'account', name: 'ana', isActive: false, reason: 'Two people' },
  })),
  'suppressions.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'suppressions.create': organisation(({ id }) => ({ body: { clientOrganizationID: id, ...aSuppression } })),
  'suppressions.end': object(({ things }) => ({ params: { id: things.suppressionId } })),
  'intelligence.list': { names: 'self', input: () => ({}) },
  'intelligence.import': { names: 'self', input: () => ({ params: { name: 'Probe', format: 'csv' } }) },
  'intelligenceFeeds.list': { names: 'self', input: () => ({}) },
  'intelligenceFeeds.test': { names: 'self', input: () => ({ body: { kind: 'misp', url: 'https://127.0.0.1/' } }) },
  'intelligenceFeeds.create': {
    names: 'self',
    input: () => ({ body: { kind: 'misp', name: 'Probe feed', url: 'https://127.0.0.1/', secret: 'x' } }),
  },
  'intelligenceFeeds.change': {
    names: 'self',
    input: () => ({ params: { id: 2_147_483_646 }, body: { url: 'https://127.0.0.1/', secret: 'x' } }),
  },
  'intelligenceFeeds.pause': { names: 'self', input: () => ({ params: { id: 2_147_483_646 }, body: { isPaused: true } }) },
  'intelligenceFeeds.remove': { names: 'self', input: () => ({ params: { id: 2_147_483_646 } }) },
  'intelligence.remove': { names: 'self', input: () => ({ params: { id: 2_147_483_646 } }) },
  'bulk.cases': organisation(
    ({ id }) => ({
      body: {
        which: { filters: {}, selectedClientOrganizationID: id, ...range },
        change: { do: 'status', caseStatus: 'investigating' },
      },
    }),
    { takesAll: true },
  ),
  'bulk.alerts': organisation(
    ({ id }) => ({
      body: { which: { filters: {}, selectedClientOrganizationID: id, ...range }, change: { do: 'seen' } },
    }),
    { takesAll: true },
  ),
  'bulk.get': { names: 'self', input: async ({ world, person }) => ({ params: { id: await world.newJob(person) } }) },
  'bulk.undo': { names: 'self', input: async ({ world, person }) => ({ params: { id: await world.newJob(person) } }) },
  'eventExports.start': organisation(({ id }) => ({ body: { client: id, ...range, format: 'csv' } }), { takesAll: true }),
  'eventExports.list': { names: 'self', input: () => ({}) },
  'eventExports.cancel': {
    names: 'self',
    input: async ({ world, person }) => ({ params: { id: await world.newExport(person) } }),
  },
  'eventExports.file': { names: 'self', input: async ({ world, person }) => ({ params: { id: await world.newExport(person) } }) },
  'events.history': { names: 'self', input: () => ({}) },
  'events.clearHistory': { names: 'self', input: () => ({}) },
  'events.timeline': overRange,
  'events.fields': overRange,
  'events.keptAside': overRange,
  'auth.logout': { names: 'self', input: () => ({}) },
  'auth.stepUp': { names: 'self', input: () => ({ body: { recoveryCode: 'none of theirs' } }) },
  'auth.stepUpSingleSignOn': { names: 'self', input: () => ({}) },
  'auth.updateUserData': { names: 'self', input: () => ({ body: { user: { data: { settings: {}, shortcuts: [] } } } }) },
  'auth.customerSuccess': { names: 'self', input: () => ({}) },
  'users.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true, meIsLetIn: true }),
  'users.exportList': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true, meIsLetIn: true }),
  'users.get': organisation(({ id, things }) => ({ params: { clientId: id, userId: things.userId } }), {
    mine: ({ id, userId }) => ({ params: { clientId: id, userId } }),
  }),
  'users.clientRoles': organisation(({ id }) => ({ params: { clientId: id } })),
  'users.create': organisation(({ id }) => ({
    body: {
      firstName: 'New',
      lastName: 'User',
      emailAddress: `probe${++number}@test.example`,
      UserRoleID: 5,
      clientOrganizationID: id,
      password: strong,
      confirmPassword: strong,
    },
  })),
  'users.update': organisation(
    ({ things, place }) => ({
      params: { id: things.userId },
      body: { phoneNumber: '+1 202 555 0100', clientOrganizationID: places[place] },
    }),
    {
      fresh: { emailAddress: 'moved@acme.example' },
      mine: ({ userId, place }) => ({
        params: { id: userId },
        body: { phoneNumber: '+1 202 555 0100', clientOrganizationID: places[place] },
      }),
    },
  ),
  'users.changePassword': organisation(
    ({ things, place }) => ({
      params: { id: things.userId },
      body: { newPassword: strong, confirmNewPassword: strong, clientOrganizationID: places[place] },
    }),
    {
      mine: ({ userId, place }) => ({
        params: { id: userId },
        body: { newPassword: strong, confirmNewPassword: strong, clientOrganizationID: places[place] },
      }),
    },
  ),
  'users.resetMfa': object(({ things }) => ({ params: { id: things.userId } }), {
    mine: ({ userId }) => ({ params: { id: userId } }),
  }),
  'users.remove': object(async ({ world, place }) => ({ params: { id: await world.newUser(place) } })),
  'users.reactivate': object(({ things }) => ({ params: { id: things.userId } })),
  'users.invite': object(({ things }) => ({ params: { id: things.userId } })),
  // An account without a password: setting another’s password is row 9.
  'users.makeLink': object(async ({ world, place }) => ({ params: { id: await world.newUser(place) } })),
  'users.uploadPicture': object(({ things }) => ({ params: { id: things.userId }, body: 'file' }), {
    mine: ({ userId }) => ({ params: { id: userId }, body: 'file' }),
  }),
  'users.removePicture': object(({ things }) => ({ params: { id: things.userId } }), {
    mine: ({ userId }) => ({ params: { id: userId } }),
  }),
  'organisations.getAllClients': { names: 'self', input: () => ({}) },
  'organisations.listDeactivated': { names: 'self', input: () => ({}) },
  'organisations.partner': organisation(({ id }) => ({ params: { id } })),
  'organisations.held': organisation(({ id }) => ({ params: { id } })),
  'organisations.details': organisation(({ id }) => ({ params: { id } })),
  'organisations.create': organisation(
    ({ id }) => ({
      body: { general: { ...general, name: `New ${++number}` }, isPartner: false, partnerClientOrgID: id },
    }),
    { only: 'partners' },
  ),
  'organisations.updateGeneral': detail(general),
  'organisations.updateContacts': detail({ emergencyContacts: [] }),
  'organisations.updateEscalation': detail({ escalationEmailAddresses: [] }),
  'organisations.updatePlaybook': detail({ generalAlertNotes: '', alertPlaybookData: '', alertTypes: [] }),
  'organisations.updateSignInPolicy': detail({ isMfaCompulsory: false, allowsFirstMatchByEmail: false, singleSignOn: null }),
  'organisations.updateRetention': detail({ alertRetentionMonths: null }),
  'organisations.updateBranding': organisation(
    ({ id, place }) => ({
      params: { id },
      body: {
        partnerName: place,
        title: '',
        subDomain: place.toLowerCase(),
        selfHostedDomain: '',
        description: '',
        contact: '',
        helpURL: '',
        accentLight: '',
        accentDark: '',
        mailSenderName: '',
        mailSenderAddress: '',
        mailFooter: '',
        pdfFooter: '',
      },
    }),
    { only: 'partners', fresh: { subDomain: 'elsewhere' } },
  ),
  'organisations.uploadLogo': organisation(({ id }) => ({ params: { id, kind: 'light' }, body: 'file' }), { only: 'partners' }),
  'organisations.removeLogo': organisation(({ id }) => ({ params: { id, kind: 'light' } }), { only: 'partners' }),
  'domains.list': organisation(({ id }) => ({ params: { id } })),
  'domains.check': organisation(({ id }) => ({ params: { id }, body: { domain: `claimed-${id}.example` } }), {
    only: 'partners',
  }),
  'domains.vouch': organisation(
    ({ id: requestedId }) => {
      // A single domain: the organisations share none.
      const id = requestedId || places.partner;
      return { params: { id }, body: { domain: `claimed-${id}.example`, isVouched: true } };
    },
    {
      only: 'partners',
      overPartners: true,
    },
  ),
  'organisations.move': organisation(
    async (context) => ({ params: { id: await aClient(context) }, body: { partnerClientOrgID: places.partner } }),
    { only: 'clients', overPartners: true },
  ),
  'isolation.get': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'isolation.findings': { names: 'self', overPartners: true, input: () => ({}) },
  'isolation.run': { names: 'self', overPartners: true, input: () => ({}) },
  'operations.get': { names: 'self', overPartners: true, input: () => ({}) },
  'operations.mode': { names: 'self', overPartners: true, input: () => ({}) },
  'operations.backUp': { names: 'self', overPartners: true, input: () => ({}) },
  'operations.release': { names: 'self', overPartners: true, input: () => ({}) },
  'retention.list': { names: 'self', input: () => ({}) },
  'retention.get': organisation(({ id }) => ({ params: { client: id } })),
  'retention.save': organisation(({ id }) => ({ params: { client: id }, body: { eventRetentionDays: 7, archiveMonths: null } })),
  'retention.saveLimits': {
    names: 'self',
    overPartners: true,
    input: () => ({ body: { minEventDays: 1, maxEventDays: null, maxArchiveMonths: 84 } }),
  },
  'retention.request': organisation(({ id }) => ({ params: { client: id }, body: { kind: 'hold', reason: 'Probe' } }), {
    only: 'clients',
  }),
  'retention.certificate': organisation(({ id }) => ({ params: { client: id }, query: { format: 'json' } })),
  'retention.decide': organisation(({ id }) => ({ params: { client: id, id: 999_999 }, body: { isConfirmed: true } })),
  'offboarding.get': organisation(({ id }) => ({ params: { client: id } }), { only: 'clients' }),
  'offboarding.archive': organisation(({ id }) => ({ params: { client: id } }), { only: 'clients' }),
  'offboarding.dismissAgents': organisation(({ id }) => ({ params: { client: id } }), { only: 'clients' }),
  'offboarding.end': organisation(
    async (context) => {
      const client = await aClient(context);
      return { params: { client }, body: { name: `Client ${client}` } };
    },
    { only: 'clients' },
  ),
  'onboarding.preview': organisation(({ id }) => ({ body: { partnerClientOrgID: id, csv: 'Name\nNew' } })),
  'onboarding.create': organisation(
    ({ id }) => ({
      body: {
        partnerClientOrgID: id,
        clients: [{ general, contact: null, escalationEmailAddresses: [], administrator: null }],
      },
    }),
    { only: 'partners' },
  ),
  'organisations.deactivate': organisation(async (context) => ({ params: { id: await aClient(context) } }), { only: 'clients' }),
  'organisations.reactivate': organisation(async (context) => ({ params: { id: await aClient(context) } }), { only: 'clients' }),
  'audit.list': overRange,
  'audit.actions': overRange,
  'audit.seal': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'audit.exportLines': overRange,
  'audit.exportList': overRange,
  'looks.list': overRange,
  'looks.people': overRange,
  'looks.exportList': overRange,
  'looks.getReason': { names: 'self', input: () => ({}) },
  'looks.giveReason': organisation(({ id }) => ({ body: { reason: 'triage', view: 'users', clientOrganizationID: id } }), {
    takesAll: true,
  }),
  'outbox.list': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'outbox.get': object(({ things }) => ({ params: { id: things.mailId } })),
  'attack.matrix': overRange,
  'attack.navigator': overRange,
  'attack.controls': overRange,
  'dashboard.alertsOverTime': overRange,
  'dashboard.alertsByType': overRange,
  'dashboard.overview': overRange,
  'dashboard.summary': overRange,
  'dashboard.clients': { names: 'self', input: () => ({ params: range }) },
  'devices.list': overRange,
  'events.search': overRange,
  'tags.list': organisation(({ id }) => ({ query: { selectedClientOrgID: id } }), { takesAll: true }),
  'tags.saveNew': organisation(({ id }) => ({ body: { name: `Tag ${++number}`, clientOrganizationID: id } })),
  'tags.remove': object(async ({ world, place, things, isMissing }) => ({
    body: { id: isMissing ? things.tagId : await world.newTag(place) },
  })),
  'tags.tagDevices': object(({ things }) => ({
    body: { devices: [things.deviceId], tags: [{ id: things.tagId, isDeleted: false }] },
  })),
  'alerts.list': overRange,
  'alerts.filters': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'alerts.ruleNames': organisation(({ id }) => ({ query: { selectedClientOrganizationId: id, ...range } }), { takesAll: true }),
  'alerts.ofEvent': organisation(
    ({ id }) => ({ params: { client: id, event: '00000000-0000-0000-0000-000000000001', at: range.start } }),
    { takesAll: true },
  ),
  'alerts.detail': object(({ things }) => ({ params: { alertId: things.alertId } })),
  'collectors.get': organisation(({ id }) => ({ params: { client: id, kind: 'filebeat' } })),
  'collectors.listVersions': organisation(({ id }) => ({ params: { client: id, kind: 'filebeat' } })),
  'collectors.check': organisation(({ id }) => ({ params: { client: id, kind: 'filebeat' }, body: { yaml: 'name: probe\n' } })),
  'collectors.save': organisation(({ id }) => ({
    params: { client: id, kind: 'filebeat' },
    body: { yaml: 'name: probe\n', version: 0 },
  })),
  'collectors.download': organisation(({ id }) => ({ params: { client: id, kind: 'filebeat' }, body: { keyName: 'probe' } })),
  'ingestKeys.list': organisation(({ id }) => ({ params: { client: id } })),
  'ingestKeys.create': organisation(({ id }) => ({ params: { client: id }, body: { name: 'probe' } })),
  // These name only the caller’s own objects; foreign ones are covered by their own tests.
  'account.sessions': { names: 'self', input: () => ({}) },
  'account.endSession': {
    names: 'self',
    input: async ({ world, person }) => ({ params: { id: await world.newSession(person) } }),
  },
  'account.endOtherSessions': { names: 'self', input: () => ({}) },
  'account.apiKeys': { names: 'self', input: () => ({}) },
  // Requests of assistants need the cookie of the browser that started them; see assistants.test.ts.
  'assistants.consent': { names: 'self', input: () => ({ params: { uid: 'x'.repeat(21) } }) },
  'assistants.decide': { names: 'self', input: () => ({ params: { uid: 'x'.repeat(21) }, body: { isAllowed: false } }) },
  'assistants.grants': { names: 'self', input: () => ({}) },
  'assistants.revoke': { names: 'self', input: () => ({ params: { id: 2_147_483_646 } }) },
  'account.createApiKey': { names: 'self', input: () => ({ body: { name: 'probe' } }) },
  'account.revokeApiKey': {
    names: 'self',
    input: async ({ world, person }) => ({ params: { id: await world.newApiKey(person) } }),
  },
  'account.mintedByApiKey': {
    names: 'self',
    input: async ({ world, person }) => ({ params: { id: await world.newApiKey(person) } }),
  },
  'secondFactor.get': { names: 'self', input: () => ({}) },
  'secondFactor.startAuthenticator': { names: 'self', input: () => ({}) },
  'secondFactor.confirmAuthenticator': { names: 'self', input: () => ({ body: { nonce: 'unknown', code: '000000' } }) },
  'secondFactor.disable': { names: 'self', input: () => ({}) },
  'secondFactor.renewRecoveryCodes': { names: 'self', input: () => ({}) },
  'secondFactor.startPasskey': { names: 'self', input: () => ({}) },
  'secondFactor.addPasskey': { names: 'self', input: () => ({ body: aPasskey }) },
  'secondFactor.removePasskey': { names: 'self', input: () => ({ params: { id: 1 } }) },
  'secondFactor.requestPasskey': { names: 'self', input: () => ({}) },
  'views.list': { names: 'self', input: () => ({ params: { list: 'alerts' } }) },
  'views.create': { names: 'self', input: () => ({ body: aView() }) },
  'views.update': {
    names: 'self',
    input: async ({ world, person }) => ({ params: { id: await world.newView(person) }, body: aView() }),
  },
  'views.remove': { names: 'self', input: async ({ world, person }) => ({ params: { id: await world.newView(person) } }) },
  'setup.get': organisation(({ id }) => ({ params: { client: id } }), { takesAll: true }),
  'setup.confirm': organisation(({ id }) => ({ params: { client: id }, body: { step: 'hidden', isConfirmed: true } }), {
    takesAll: true,
  }),
  'setup.testMail': { names: 'self', input: () => ({}) },
  'setup.attack': organisation(({ id }) => ({ params: { client: id, device: 'setup-test-abcd' } })),
  'search.find': { names: 'self', input: () => ({ query: { text: 'host' } }) },
  'ingestKeys.revoke': organisation(({ id, things }) => ({ params: { client: id, key: things.keyId } })),
};
