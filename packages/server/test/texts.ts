/**
 * Every text parameter of the API with its readers. Reviewed manually: a text in neither list fails internal-leak.long.test.ts. Enum values and
 * formatted values (instants, ids) are not texts.
 */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import type { Visibility } from '@parapet/contract/visibility.ts';
import { z } from 'zod';

/** Internal: about a client or for staff only; no client reads these. */
const internal = `
cases.saveNarrative        body.text
cases.saveNote             body.text
cases.changeStatus         body.closing.reason body.closing.answers.tasks body.closing.answers.alerts body.closing.answers.containment body.closing.answers.question
bulk.cases                 body.change.closing.reason
reviews.updateDecision     body.notes
reviews.markIncorrect      body.notes
reviews.updateDecisioningCorrectness body.notes
identities.merge           body.reason
identities.switchRule      body.reason
retention.request          body.reason
suppressions.create        body.reason body.deviceName body.userName body.ruleID
rules.saveDraft            body.note body.ruleID
rules.changeState          body.why
rules.saveOverride         body.reason body.ruleID
rules.addException         body.reason body.ruleID
rules.addTest              body.name body.document body.ruleID
rules.check                body.yaml
rules.startPreview         body.change.ruleID body.change.yaml body.change.deviceName body.change.userName
rules.list                 query.search query.product[] query.technique query.pack
caseGrouping.saveDraft     body.note body.common[].value body.common[].reason
caseGrouping.changeState   body.why
caseGrouping.startPreview  body.common[].value body.common[].reason
rulePacks.upload           query.version query.folder
rulePacks.fetch            body.branch body.folder
rulePacks.getImport        query.search
rulePacks.accept           body.why
rulePacks.changeState      body.why
rulePacks.download         params.pack
bulk.alerts                body.change.reason
sapphire.insertKnowledge   body.clientKnowledge
sapphire.reviewKnowledge   body.text
sapphire.chat              body.clientRequest
sapphire.feedback          body.text
views.create               body.name body.query body.columns[]
views.update               body.name body.query body.columns[]
auth.updateUserData        body.user.data.settings{} body.user.data.shortcuts[]
account.createApiKey       body.name
reviews.list               body.filter.text body.filter.query
cases.list                 body.filters.device body.filters.user body.filters.text body.filters.query
users.list                 query.search query.role[] query.query
audit.list                 query.action[] query.search query.query
outbox.list                query.search query.query
search.find                query.text
alerts.list                query.rule[] query.device query.user query.category[] query.technique[] query.text query.query
devices.list               query.text query.query
agents.list                query.text query.query
responseDesk.list          query.text query.query
vulnerabilities.devices    query.text
vulnerabilities.list       query.text query.query
exceptions.list            query.query
suppressions.list          query.query
reports.listSchedules      query.query
`;

/** Shared with the client: its own data, texts and actions for it, and data taken from it (exports and event searches, with their filters). */
const client = `
rules.saveDraft            body.yaml
rulePacks.upload           query.name
rulePacks.decide           params.ruleID body.yaml
rulePacks.fetch            body.name
rules.addException         body.yaml
auth.register              body.firstName body.lastName body.email body.company
auth.authenticate          body.email body.password
auth.completeMfa           body.nonce body.code body.password body.recoveryCode body.passkey.id body.passkey.rawId body.passkey.response.clientDataJSON body.passkey.response.authenticatorData body.passkey.response.signature
account.createApiKey       body.addressRanges[]
auth.stepUp                body.password body.code body.recoveryCode body.passkey.id body.passkey.rawId body.passkey.response.clientDataJSON body.passkey.response.authenticatorData body.passkey.response.signature
domains.check              body.domain
domains.vouch              body.domain
looks.giveReason           body.text
audit.exportLines          query.action[] query.search query.query
secondFactor.confirmAuthenticator body.nonce body.code
secondFactor.addPasskey    body.name body.passkey.id body.passkey.rawId body.passkey.response.clientDataJSON body.passkey.response.attestationObject body.passkey.response.transports[]
auth.accessToken           body.accessToken
auth.customerSuccess       query.email query.link
auth.singleSignOn          query.redirect_url
auth.singleSignOnCallback  query.code query.state query.error
auth.forgotPassword        params.resetEmail
auth.resetForm             params.token
auth.resetPassword         body.formData.email body.formData.token body.newPassword
brand.image                query.v params.subDomain
organisations.create       body.general.name body.general.phoneNumber body.general.emailAddress body.general.websiteURL body.general.industry body.general.addressData.street body.general.addressData.suite body.general.addressData.city body.general.addressData.state body.general.addressData.zipCode body.subDomain
offboarding.end            body.name
onboarding.preview         body.csv
onboarding.create          body.clients[].general.name body.clients[].general.phoneNumber body.clients[].general.emailAddress body.clients[].general.websiteURL body.clients[].general.industry body.clients[].general.addressData.street body.clients[].general.addressData.suite body.clients[].general.addressData.city body.clients[].general.addressData.state body.clients[].general.addressData.zipCode body.clients[].contact.name body.clients[].contact.title body.clients[].contact.phoneNumber body.clients[].contact.emailAddress body.clients[].contact.hours body.clients[].escalationEmailAddresses[] body.clients[].administrator.firstName body.clients[].administrator.lastName body.clients[].administrator.emailAddress
organisations.updateGeneral body.name body.phoneNumber body.emailAddress body.websiteURL body.industry body.addressData.street body.addressData.suite body.addressData.city body.addressData.state body.addressData.zipCode
organisations.updateContacts body.emergencyContacts[].name body.emergencyContacts[].title body.emergencyContacts[].phoneNumber body.emergencyContacts[].emailAddress body.emergencyContacts[].hours
organisations.updateEscalation body.escalationEmailAddresses[].emailAddress
organisations.updatePlaybook body.generalAlertNotes body.alertPlaybookData
organisations.updateSignInPolicy body.singleSignOn.issuer body.singleSignOn.clientId body.singleSignOn.clientSecret
organisations.updateBranding body.partnerName body.title body.subDomain body.selfHostedDomain body.description body.contact body.helpURL body.accentLight body.accentDark body.mailSenderName body.mailSenderAddress body.mailFooter body.pdfFooter
users.exportList           query.search query.role[] query.query
users.create               body.firstName body.lastName body.emailAddress body.phoneNumber body.password body.confirmPassword
users.update               body.firstName body.lastName body.emailAddress body.phoneNumber
users.changePassword       body.newPassword body.confirmNewPassword
users.picture              query.until query.signature params.file
audit.exportList           query.action[] query.search query.query
dashboard.alertsOverTime   query.timeZone
risk.savePractices         body.practices[].id
vulnerabilities.customer   query.score query.online query.scanned query.monitored
vulnerabilities.accept     body.reason
reports.addSchedule        body.recipients[]
devices.get                params.name
rules.get                  params.ruleID
rulePacks.getItem          params.ruleID
devices.timeline           params.name
tags.saveNew               body.name
alerts.exportList          query.rule[] query.device query.user query.category[] query.technique[] query.text query.query
cases.exportList           query.device query.user query.text query.query
responses.isolateHost      body.deviceID
responses.issueBlockToken  body.userID
responses.blockUser        body.userID params.token
responses.acknowledge      body.note
responses.addTask          body.target body.device
responseDesk.request       body.target body.deviceName body.expectedName body.note
responseDesk.approve       body.note
responseDesk.undo          body.note
responseDesk.addProtected  body.value body.reason
caseMails.sendEscalation   body.subject body.text
caseMails.sendUpdate       body.subject body.text
caseMails.sendNarrative    body.subject body.text
caseMails.sendCustom       body.to[] body.cc[] body.subject body.text
caseMails.answerByLink     body.caseId body.action body.token query.caseID query.action query.token
caseMails.answerNeedsPress body.token
mailSubscriptions.unsubscribe params.token
intelligence.import        params.name
intelligenceFeeds.test     body.url body.collection body.user body.secret body.tags
intelligenceFeeds.create   body.name body.url body.collection body.user body.secret body.tags
intelligenceFeeds.change   body.url body.collection body.user body.secret body.tags
bulk.cases                 body.which.filters.device body.which.filters.user body.which.filters.text body.which.filters.query
bulk.alerts                body.which.filters.rule[] body.which.filters.device body.which.filters.user body.which.filters.category[] body.which.filters.technique[] body.which.filters.text body.which.filters.query
events.search              query.search query.text query.device query.user query.field[] query.query
events.timeline            query.search query.text query.device query.user query.field[] query.query
eventExports.start         body.search body.text body.device body.user body.field[]
events.fields              query.search query.text query.device query.user query.field[] query.query
events.live                query.search query.text query.device query.user query.field[]
events.keptAside           query.reason[] query.query query.beforeID
organisations.getAllClients query.query
ingestKeys.create          body.name
advisoryFeeds.test         body.url
advisoryFeeds.change       body.url
syslog.addNetwork          body.network
connections.test           body.kind body.values{}
connections.create         body.kind body.name body.values{}
connections.replaceSecrets body.values{}
connectionInvites.create   body.kind body.name body.tenant
connectionInvites.open     body.token
connectionInvites.accept   body.token body.values{}
connectionInvites.consent  body.token
connectionInvites.consentCallback query.code query.state query.error query.admin_consent query.tenant
vendorApplications.save    body.clientID body.secret body.login
imports.create             body.fileName body.source body.mapping.namespace body.mapping.records[] body.mapping.fields[].from[] body.mapping.fields[].value
webhookSources.preview     body.sample body.mapping.namespace body.mapping.records[] body.mapping.fields[].from[] body.mapping.fields[].value
webhookSources.create      body.name body.header body.mapping.namespace body.mapping.records[] body.mapping.fields[].from[] body.mapping.fields[].value
webhookSources.saveMapping body.mapping.namespace body.mapping.records[] body.mapping.fields[].from[] body.mapping.fields[].value
deliveries.createTarget    body.kind body.name body.values{}
deliveries.updateTarget    body.name body.quiet.zone
deliveries.replaceSecrets  body.values{}
deliveries.openCallbacks   body.secret
account.addBrowser         body.endpoint body.p256dh body.auth
account.linkChat           body.token
deliveries.createRule      body.hours.zone
deliveries.ticketSetup     query.board
deliveries.saveTicketSetup body.setup.board body.setup.type body.setup.priorities{} body.setup.statuses{} body.setup.fields{} body.setup.time.type body.setup.time.role body.setup.time.person body.companies[].companyId
deliveries.updateRule      body.hours.zone
deliveries.preview         body.hours.zone
onCall.saveShifts          body.zone
onCall.addNote             body.text
billing.list               query.month
billing.csv                query.month
billing.items              query.month
billing.compare            query.month
billing.saveLines          body.lines[].agreementId body.lines[].itemId
billing.confirm            body.month body.lines[].agreementId body.lines[].itemId
billing.correct            body.month body.reason
setup.attack               params.device
identities.merge           body.name body.sameAs
identities.switchRule      body.name
identities.list            query.text
agents.createToken         body.name
agents.addRelease          query.signature params.version
assistants.consent         params.uid
assistants.decide          params.uid
agents.rollout             body.version
collectors.check           body.yaml
collectors.save            body.yaml body.comment
collectors.download        body.keyName
sapphire.chat              body.timeZone
sapphire.addKnowledge      body.text
sapphire.addSynonym        body.from body.to
`;

const entriesOf = (list: string, visibility: Visibility): [string, Visibility][] =>
  list
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [id, ...paths] = line.split(/\s+/);
      return paths.map((path): [string, Visibility] => [`${id} ${path}`, visibility]);
    });

/** `cases.saveNote body.text` → its readers. */
export const texts = new Map([...entriesOf(client, 'client'), ...entriesOf(internal, 'internal')]);

interface Node {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Node;
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  anyOf?: Node[];
  allOf?: Node[];
  oneOf?: Node[];
}

function* textsIn(node: Node, path: string): Generator<string> {
  if (node.type === 'string' && !node.enum && node.const === undefined && !node.format) yield path;
  if (node.items) yield* textsIn(node.items, `${path}[]`);
  for (const [name, property] of Object.entries(node.properties ?? {})) yield* textsIn(property, `${path}.${name}`);
  if (typeof node.additionalProperties === 'object') yield* textsIn(node.additionalProperties, `${path}{}`);
  for (const branch of [...(node.anyOf ?? []), ...(node.allOf ?? []), ...(node.oneOf ?? [])]) yield* textsIn(branch, path);
}

/** Paths of a call’s texts: body.text, query.search. */
export const textsOfCall = (endpoint: Endpoint): string[] => [
  ...new Set(
    (['params', 'query', 'body'] as const).flatMap((part) => [
      ...textsIn(z.toJSONSchema(endpoint[part], { io: 'input', unrepresentable: 'any' }) as Node, part),
    ]),
  ),
];

/** The input with this text at that path. */
export function withText(input: object, path: string, text: string): object {
  const [key = '', ...rest] = path.split('.');
  const name = key.replace(/\[\]|\{\}$/, '');
  const held = input as Record<string, unknown>;
  // Other fields of the first element stay.
  const given = key.endsWith('[]') ? (held[name] as unknown[] | undefined)?.[0] : held[name];
  const inner = rest.length > 0 ? withText((given ?? {}) as object, rest.join('.'), text) : text;
  return { ...held, [name]: key.endsWith('[]') ? [inner] : key.endsWith('{}') ? { [text]: inner } : inner };
}
