/** All endpoints of the product, for the OpenAPI document, the access table and the architecture tests. */
import { accountApi } from './account.ts';
import { advisoryFeedsApi } from './advisoryFeeds.ts';
import { agentsApi } from './agents.ts';
import { alertsApi } from './alerts.ts';
import { analystTimeApi } from './analystTime.ts';
import { assistantsApi } from './assistants.ts';
import { attackApi } from './attack.ts';
import { auditApi } from './audit.ts';
import { authApi } from './auth.ts';
import { billingApi } from './billing.ts';
import { brandApi } from './brand.ts';
import { bulkApi } from './bulk.ts';
import { caseGroupingApi } from './caseGrouping.ts';
import { caseMailsApi } from './caseMails.ts';
import { casesApi } from './cases.ts';
import { clientAccessLogApi } from './client-access-log.ts';
import { collectorsApi } from './collectors.ts';
import { connectionInvitesApi } from './connectionInvites.ts';
import { connectionsApi } from './connections.ts';
import { dashboardApi } from './dashboard.ts';
import { deliveriesApi } from './deliveries.ts';
import { rulesApi } from './detectionRules.ts';
import { devicesApi } from './devices.ts';
import { domainsApi } from './domains.ts';
import type { Endpoint } from './endpoint.ts';
import { eventExportsApi } from './eventExports.ts';
import { eventsApi } from './events.ts';
import { exceptionsApi } from './exceptions.ts';
import { identitiesApi } from './identities.ts';
import { importsApi } from './imports.ts';
import { ingestKeysApi } from './ingest-keys.ts';
import { intelligenceApi } from './intelligence.ts';
import { intelligenceFeedsApi } from './intelligenceFeeds.ts';
import { isolationApi } from './isolation.ts';
import { mailSubscriptionsApi } from './mailSubscriptions.ts';
import { offboardingApi } from './offboarding.ts';
import { onboardingApi } from './onboarding.ts';
import { onCallApi } from './onCall.ts';
import { operationsApi } from './operations.ts';
import { organisationsApi } from './organisations.ts';
import { outboxApi } from './outbox.ts';
import { pastSearchesApi } from './pastSearches.ts';
import { proposalsApi } from './proposals.ts';
import { recallsApi } from './recalls.ts';
import { balanceApi } from './reconciliation.ts';
import { reportsApi } from './reports.ts';
import { responseRequestsApi } from './responseRequests.ts';
import { responsesApi } from './responses.ts';
import { retentionApi } from './retention.ts';
import { reviewsApi } from './reviews.ts';
import { riskApi } from './risk.ts';
import { rulePacksApi } from './rulePacks.ts';
import { sapphireApi } from './sapphire.ts';
import { searchApi } from './search.ts';
import { secondFactorApi } from './secondFactor.ts';
import { setupApi } from './setup.ts';
import { suppressionsApi } from './suppressions.ts';
import { syslogApi } from './syslog.ts';
import { tagsApi } from './tags.ts';
import { usersApi } from './users.ts';
import { vendorApplicationsApi } from './vendorApplications.ts';
import { viewsApi } from './views.ts';
import { vulnerabilitiesApi } from './vulnerabilities.ts';
import { webhookSourcesApi } from './webhookSources.ts';

const features: Record<string, Endpoint>[] = [
  authApi,
  brandApi,
  domainsApi,
  offboardingApi,
  onboardingApi,
  isolationApi,
  operationsApi,
  organisationsApi,
  retentionApi,
  usersApi,
  auditApi,
  clientAccessLogApi,
  outboxApi,
  dashboardApi,
  assistantsApi,
  attackApi,
  rulesApi,
  rulePacksApi,
  pastSearchesApi,
  proposalsApi,
  exceptionsApi,
  riskApi,
  vulnerabilitiesApi,
  balanceApi,
  reportsApi,
  devicesApi,
  connectionsApi,
  advisoryFeedsApi,
  connectionInvitesApi,
  syslogApi,
  vendorApplicationsApi,
  webhookSourcesApi,
  importsApi,
  tagsApi,
  alertsApi,
  analystTimeApi,
  caseGroupingApi,
  casesApi,
  recallsApi,
  reviewsApi,
  responsesApi,
  responseRequestsApi,
  caseMailsApi,
  mailSubscriptionsApi,
  deliveriesApi,
  onCallApi,
  billingApi,
  suppressionsApi,
  intelligenceApi,
  intelligenceFeedsApi,
  bulkApi,
  eventExportsApi,
  eventsApi,
  identitiesApi,
  ingestKeysApi,
  agentsApi,
  collectorsApi,
  accountApi,
  secondFactorApi,
  viewsApi,
  searchApi,
  sapphireApi,
  setupApi,
] as unknown as Record<string, Endpoint>[];

export const endpoints: Endpoint[] = features.flatMap((feature) => Object.values(feature));
