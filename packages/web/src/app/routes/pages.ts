/** The pages inside the shell (spec §2.1). Their code and first data are loaded when they are opened; `lib/pageRules.ts` has their address rules. */
import { createRoute } from '@tanstack/react-router';
import { clientIdIn } from '../../lib/address.ts';
import { configRoutes, paths } from '../../lib/paths.ts';
import { leadTo, needs } from './guards.ts';
import { lazyPage } from './lazyPage.ts';
import { loaderOf } from './loaderOf.ts';
import { root } from './root.tsx';

export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: lazyPage(() => import('../shell/Shell.tsx'), 'Shell'),
});
const inShell = { getParentRoute: () => shell, beforeLoad: needs('user') } as const;

const dashboard = createRoute({
  ...inShell,
  path: '/apps/dashboard/{-$client}',
  component: lazyPage(() => import('../../features/dashboard/DashboardPage.tsx'), 'DashboardPage'),
  ...loaderOf(() => import('../../features/dashboard/dashboard.loader.ts'), 'dashboard'),
});
const riskScore = createRoute({
  ...inShell,
  path: '/apps/risk-score',
  component: lazyPage(() => import('../../features/risk/RiskPage.tsx'), 'RiskPage'),
  ...loaderOf(() => import('../../features/risk/risk.loader.ts'), 'score'),
});
const alerts = createRoute({
  ...inShell,
  path: '/apps/alerts/{-$client}',
  component: lazyPage(() => import('../../features/alerts/AlertsPage.tsx'), 'AlertsPage'),
  ...loaderOf(() => import('../../features/alerts/alerts.loader.ts'), 'list'),
});
const alert = createRoute({
  ...inShell,
  path: '/apps/alert/$id',
  component: lazyPage(() => import('../../features/alerts/AlertPage.tsx'), 'AlertPage'),
  ...loaderOf(() => import('../../features/alerts/alerts.loader.ts'), 'detail'),
});
// Without an id it is the list.
const alertWithoutId = createRoute({ ...inShell, path: '/apps/alert', beforeLoad: leadTo(paths.alerts()) });
const cases = createRoute({
  ...inShell,
  path: '/apps/cases/{-$client}',
  component: lazyPage(() => import('../../features/cases/CasesPage.tsx'), 'CasesPage'),
  ...loaderOf(() => import('../../features/cases/cases.loader.ts'), 'list'),
});
const oneCase = createRoute({
  ...inShell,
  path: '/apps/case/$id',
  component: lazyPage(() => import('../../features/cases/CasePage.tsx'), 'CasePage'),
  ...loaderOf(() => import('../../features/cases/cases.loader.ts'), 'detail'),
});
// Without an id it is the list.
const caseWithoutId = createRoute({ ...inShell, path: '/apps/case', beforeLoad: leadTo(paths.cases()) });
const attackIndicators = createRoute({
  ...inShell,
  path: '/apps/attack-indicators/{-$client}',
  component: lazyPage(() => import('../../features/attack/AttackPage.tsx'), 'AttackPage'),
  ...loaderOf(() => import('../../features/attack/attack.loader.ts'), 'indicators'),
});
const vulnerability = createRoute({
  ...inShell,
  path: '/apps/vulnerability',
  component: lazyPage(() => import('../../features/vulnerabilities/VulnerabilityPage.tsx'), 'VulnerabilityPage'),
  ...loaderOf(() => import('../../features/vulnerabilities/vulnerabilities.loader.ts'), 'vulnerability'),
});
const reporting = createRoute({
  ...inShell,
  path: '/apps/reporting',
  component: lazyPage(() => import('../../features/reports/ReportingPage.tsx'), 'ReportingPage'),
  ...loaderOf(() => import('../../features/reports/reports.loader.ts'), 'reporting'),
});
const devices = createRoute({
  ...inShell,
  path: '/apps/devices/{-$client}',
  component: lazyPage(() => import('../../features/devices/DevicesPage.tsx'), 'DevicesPage'),
  ...loaderOf(() => import('../../features/devices/devices.loader.ts'), 'list'),
});

const responses = createRoute({
  ...inShell,
  path: '/apps/response',
  component: lazyPage(() => import('../../features/responses/ResponsesPage.tsx'), 'ResponsesPage'),
  ...loaderOf(() => import('../../features/responses/responses.loader.ts'), 'list'),
});
const response = createRoute({
  ...inShell,
  path: '/apps/response/$id',
  component: lazyPage(() => import('../../features/responses/ResponsePage.tsx'), 'ResponsePage'),
  ...loaderOf(() => import('../../features/responses/responses.loader.ts'), 'detail'),
});
const device = createRoute({
  ...inShell,
  path: '/apps/device/$client/$name',
  component: lazyPage(() => import('../../features/devices/DevicePage.tsx'), 'DevicePage'),
  ...loaderOf(() => import('../../features/devices/devices.loader.ts'), 'detail'),
});
// Without a name it is that client's devices.
const deviceWithoutName = createRoute({
  ...inShell,
  path: '/apps/device/{-$client}',
  beforeLoad: ({ params }) => {
    leadTo(paths.devices(clientIdIn(params.client)))();
  },
});
const agents = createRoute({
  ...inShell,
  path: '/apps/agents',
  component: lazyPage(() => import('../../features/agents/AgentsPage.tsx'), 'AgentsPage'),
  ...loaderOf(() => import('../../features/agents/agents.loader.ts'), 'agents'),
});

const settings = createRoute({
  ...inShell,
  path: '/apps/settings',
  component: lazyPage(() => import('../../features/settings/SettingsPage.tsx'), 'SettingsPage'),
  ...loaderOf(() => import('../../features/settings/settings.loader.ts'), 'section'),
});
const users = createRoute({
  ...inShell,
  path: '/apps/users',
  component: lazyPage(() => import('../../features/users/UsersPage.tsx'), 'UsersPage'),
  ...loaderOf(() => import('../../features/users/users.loader.ts'), 'list'),
});
const profile = createRoute({
  ...inShell,
  path: '/apps/profile/{-$id}',
  component: lazyPage(() => import('../../features/users/ProfilePage.tsx'), 'ProfilePage'),
  ...loaderOf(() => import('../../features/users/users.loader.ts'), 'detail'),
});
const clientDetails = createRoute({
  ...inShell,
  path: '/apps/clientdetails/$tab',
  component: lazyPage(() => import('../../features/organisations/ClientDetailsPage.tsx'), 'ClientDetailsPage'),
  ...loaderOf(() => import('../../features/organisations/organisations.loader.ts'), 'details'),
});
const newClient = createRoute({
  ...inShell,
  path: '/apps/clientdetails/create/{-$tab}',
  component: lazyPage(() => import('../../features/organisations/NewClientPage.tsx'), 'NewClientPage'),
});
const clientDetailsWithoutTab = createRoute({
  ...inShell,
  path: '/apps/clientdetails',
  beforeLoad: leadTo(paths.clientDetails('general')),
});
const audit = createRoute({
  ...inShell,
  path: '/apps/audit',
  component: lazyPage(() => import('../../features/audit/AuditPage.tsx'), 'AuditPage'),
  ...loaderOf(() => import('../../features/audit/audit.loader.ts'), 'list'),
});
const accessLog = createRoute({
  ...inShell,
  path: '/apps/accesslog',
  component: lazyPage(() => import('../../features/client-access-log/AccessLogPage.tsx'), 'AccessLogPage'),
  ...loaderOf(() => import('../../features/client-access-log/client-access-log.loader.ts'), 'list'),
});
const outbox = createRoute({
  ...inShell,
  path: '/apps/outbox',
  component: lazyPage(() => import('../../features/outbox/OutboxPage.tsx'), 'OutboxPage'),
  ...loaderOf(() => import('../../features/outbox/outbox.loader.ts'), 'list'),
});
const operations = createRoute({
  ...inShell,
  path: '/apps/operations',
  component: lazyPage(() => import('../../features/operations/OperationsPage.tsx'), 'OperationsPage'),
  ...loaderOf(() => import('../../features/operations/operations.loader.ts'), 'page'),
});
const caseReviews = createRoute({
  ...inShell,
  path: '/apps/casereviews',
  component: lazyPage(() => import('../../features/reviews/ReviewsPage.tsx'), 'ReviewsPage'),
  ...loaderOf(() => import('../../features/reviews/reviews.loader.ts'), 'list'),
});
const mailSubscriptions = createRoute({
  ...inShell,
  path: '/apps/mailsubscriptions',
  component: lazyPage(() => import('../../features/mail-subscriptions/MailSubscriptionsPage.tsx'), 'MailSubscriptionsPage'),
  ...loaderOf(() => import('../../features/mail-subscriptions/subscriptions.loader.ts'), 'list'),
});
const deliveries = createRoute({
  ...inShell,
  path: '/apps/deliveries',
  component: lazyPage(() => import('../../features/deliveries/DeliveriesPage.tsx'), 'DeliveriesPage'),
  ...loaderOf(() => import('../../features/deliveries/deliveries.loader.ts'), 'list'),
});
const billing = createRoute({
  ...inShell,
  path: '/apps/billing',
  component: lazyPage(() => import('../../features/billing/BillingPage.tsx'), 'BillingPage'),
  ...loaderOf(() => import('../../features/billing/billing.loader.ts'), 'list'),
});
const identities = createRoute({
  ...inShell,
  path: '/apps/identities',
  component: lazyPage(() => import('../../features/identities/IdentitiesPage.tsx'), 'IdentitiesPage'),
  ...loaderOf(() => import('../../features/identities/identities.loader.ts'), 'list'),
});
const rules = createRoute({
  ...inShell,
  path: '/apps/rules',
  component: lazyPage(() => import('../../features/rules/RulesPage.tsx'), 'RulesPage'),
  ...loaderOf(() => import('../../features/rules/rules.loader.ts'), 'list'),
});
const rule = createRoute({
  ...inShell,
  path: '/apps/rule/$ruleID',
  component: lazyPage(() => import('../../features/rules/RulePage.tsx'), 'RulePage'),
  ...loaderOf(() => import('../../features/rules/rules.loader.ts'), 'detail'),
});
const exceptions = createRoute({
  ...inShell,
  path: '/apps/exceptions',
  component: lazyPage(() => import('../../features/rules/ExceptionsPage.tsx'), 'ExceptionsPage'),
  ...loaderOf(() => import('../../features/rules/rules.loader.ts'), 'exceptions'),
});
const rulePacks = createRoute({
  ...inShell,
  path: '/apps/rulepacks',
  component: lazyPage(() => import('../../features/rule-packs/RulePacksPage.tsx'), 'RulePacksPage'),
  ...loaderOf(() => import('../../features/rule-packs/packs.loader.ts'), 'list'),
});
const caseGrouping = createRoute({
  ...inShell,
  path: '/apps/casegrouping',
  component: lazyPage(() => import('../../features/case-grouping/CaseGroupingPage.tsx'), 'CaseGroupingPage'),
  ...loaderOf(() => import('../../features/case-grouping/grouping.loader.ts'), 'page'),
});
const ruleImport = createRoute({
  ...inShell,
  path: '/apps/ruleimport/$importID',
  component: lazyPage(() => import('../../features/rule-packs/RuleImportPage.tsx'), 'RuleImportPage'),
  ...loaderOf(() => import('../../features/rule-packs/packs.loader.ts'), 'review'),
});
const suppressions = createRoute({
  ...inShell,
  path: '/apps/suppressions',
  // The former address of the list.
  beforeLoad: ({ location }) => leadTo(`${paths.exceptions()}${location.searchStr}`)(),
});
const events = createRoute({
  ...inShell,
  path: '/apps/events',
  component: lazyPage(() => import('../../features/events/EventsPage.tsx'), 'EventsPage'),
  ...loaderOf(() => import('../../features/events/events.loader.ts'), 'list'),
});
const sapphire = createRoute({
  ...inShell,
  path: '/apps/sapphire',
  component: lazyPage(() => import('../../features/sapphire/SapphirePage.tsx'), 'SapphirePage'),
  ...loaderOf(() => import('../../features/sapphire/sapphire.loader.ts'), 'administration'),
});
const intelligence = createRoute({
  ...inShell,
  path: '/apps/intelligence',
  component: lazyPage(() => import('../../features/intelligence/IntelligencePage.tsx'), 'IntelligencePage'),
  ...loaderOf(() => import('../../features/intelligence/intelligence.loader.ts'), 'list'),
});

// One page for all kinds: the address names the kind.
const collectorConfigs = Object.values(configRoutes).map((route) =>
  createRoute({
    ...inShell,
    path: `/apps/${route}/{-$client}`,
    component: lazyPage(() => import('../../features/collectors/CollectorPage.tsx'), 'CollectorPage'),
    ...loaderOf(() => import('../../features/collectors/collectors.loader.ts'), 'config'),
  }),
);

const notFound = createRoute({
  getParentRoute: () => shell,
  path: '/pages/errors/error-404',
  component: lazyPage(() => import('../../features/pages/NotFoundPage.tsx'), 'NotFoundPage'),
});
const faq = createRoute({
  getParentRoute: () => shell,
  path: '/pages/faq',
  component: lazyPage(() => import('../../features/pages/FaqPage.tsx'), 'FaqPage'),
});

/** The gallery of the component kit, in development only. */
const kit = import.meta.env.DEV
  ? [
      createRoute({
        ...inShell,
        path: '/apps/kit',
        component: lazyPage(() => import('../../features/kit/KitPage.tsx'), 'KitPage'),
      }),
    ]
  : [];

export const shellRoutes = shell.addChildren([
  dashboard,
  riskScore,
  alerts,
  alert,
  alertWithoutId,
  cases,
  oneCase,
  caseWithoutId,
  attackIndicators,
  vulnerability,
  reporting,
  devices,
  responses,
  response,
  device,
  deviceWithoutName,
  agents,
  settings,
  users,
  profile,
  clientDetails,
  newClient,
  clientDetailsWithoutTab,
  audit,
  accessLog,
  outbox,
  operations,
  caseReviews,
  mailSubscriptions,
  deliveries,
  billing,
  identities,
  exceptions,
  rulePacks,
  caseGrouping,
  ruleImport,
  rules,
  rule,
  suppressions,
  events,
  sapphire,
  intelligence,
  notFound,
  faq,
  ...collectorConfigs,
  ...kit,
]);
