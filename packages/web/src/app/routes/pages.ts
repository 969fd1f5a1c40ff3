/** The pages inside the shell (spec §2.1). Their code is loaded when they are opened; `lib/pageRules.ts` has their address rules. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { clientIdIn } from '../../lib/address.ts';
import { configRoutes, paths } from '../../lib/paths.ts';
import { leadTo, needs } from './guards.ts';
import { root } from './root.tsx';

export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: lazyRouteComponent(() => import('../shell/Shell.tsx'), 'Shell'),
});
const inShell = { getParentRoute: () => shell, beforeLoad: needs('user') } as const;

const dashboard = createRoute({
  ...inShell,
  path: '/apps/dashboard/{-$client}',
  component: lazyRouteComponent(() => import('../../features/dashboard/DashboardPage.tsx'), 'DashboardPage'),
});
const riskScore = createRoute({
  ...inShell,
  path: '/apps/risk-score',
  component: lazyRouteComponent(() => import('../../features/risk/RiskPage.tsx'), 'RiskPage'),
});
const alerts = createRoute({
  ...inShell,
  path: '/apps/alerts/{-$client}',
  component: lazyRouteComponent(() => import('../../features/alerts/AlertsPage.tsx'), 'AlertsPage'),
});
const alert = createRoute({
  ...inShell,
  path: '/apps/alert/$id',
  component: lazyRouteComponent(() => import('../../features/alerts/AlertPage.tsx'), 'AlertPage'),
});
// Without an id it is the list.
const alertWithoutId = createRoute({ ...inShell, path: '/apps/alert', beforeLoad: leadTo(paths.alerts()) });
const cases = createRoute({
  ...inShell,
  path: '/apps/cases/{-$client}',
  component: lazyRouteComponent(() => import('../../features/cases/CasesPage.tsx'), 'CasesPage'),
});
const oneCase = createRoute({
  ...inShell,
  path: '/apps/case/$id',
  component: lazyRouteComponent(() => import('../../features/cases/CasePage.tsx'), 'CasePage'),
});
// Without an id it is the list.
const caseWithoutId = createRoute({ ...inShell, path: '/apps/case', beforeLoad: leadTo(paths.cases()) });
const attackIndicators = createRoute({
  ...inShell,
  path: '/apps/attack-indicators/{-$client}',
  component: lazyRouteComponent(() => import('../../features/attack/AttackPage.tsx'), 'AttackPage'),
});
const vulnerability = createRoute({
  ...inShell,
  path: '/apps/vulnerability',
  component: lazyRouteComponent(() => import('../../features/vulnerabilities/VulnerabilityPage.tsx'), 'VulnerabilityPage'),
});
const reporting = createRoute({
  ...inShell,
  path: '/apps/reporting',
  component: lazyRouteComponent(() => import('../../features/reports/ReportingPage.tsx'), 'ReportingPage'),
});
const devices = createRoute({
  ...inShell,
  path: '/apps/devices/{-$client}',
  component: lazyRouteComponent(() => import('../../features/devices/DevicesPage.tsx'), 'DevicesPage'),
});

const responses = createRoute({
  ...inShell,
  path: '/apps/response',
  component: lazyRouteComponent(() => import('../../features/responses/ResponsesPage.tsx'), 'ResponsesPage'),
});
const response = createRoute({
  ...inShell,
  path: '/apps/response/$id',
  component: lazyRouteComponent(() => import('../../features/responses/ResponsePage.tsx'), 'ResponsePage'),
});
const device = createRoute({
  ...inShell,
  path: '/apps/device/$client/$name',
  component: lazyRouteComponent(() => import('../../features/devices/DevicePage.tsx'), 'DevicePage'),
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
  component: lazyRouteComponent(() => import('../../features/agents/AgentsPage.tsx'), 'AgentsPage'),
});

const settings = createRoute({
  ...inShell,
  path: '/apps/settings',
  component: lazyRouteComponent(() => import('../../features/settings/SettingsPage.tsx'), 'SettingsPage'),
});
const users = createRoute({
  ...inShell,
  path: '/apps/users',
  component: lazyRouteComponent(() => import('../../features/users/UsersPage.tsx'), 'UsersPage'),
});
const profile = createRoute({
  ...inShell,
  path: '/apps/profile/{-$id}',
  component: lazyRouteComponent(() => import('../../features/users/ProfilePage.tsx'), 'ProfilePage'),
});
const clientDetails = createRoute({
  ...inShell,
  path: '/apps/clientdetails/$tab',
  component: lazyRouteComponent(() => import('../../features/organisations/ClientDetailsPage.tsx'), 'ClientDetailsPage'),
});
const newClient = createRoute({
  ...inShell,
  path: '/apps/clientdetails/create/{-$tab}',
  component: lazyRouteComponent(() => import('../../features/organisations/NewClientPage.tsx'), 'NewClientPage'),
});
const clientDetailsWithoutTab = createRoute({
  ...inShell,
  path: '/apps/clientdetails',
  beforeLoad: leadTo(paths.clientDetails('general')),
});
const audit = createRoute({
  ...inShell,
  path: '/apps/audit',
  component: lazyRouteComponent(() => import('../../features/audit/AuditPage.tsx'), 'AuditPage'),
});
const outbox = createRoute({
  ...inShell,
  path: '/apps/outbox',
  component: lazyRouteComponent(() => import('../../features/outbox/OutboxPage.tsx'), 'OutboxPage'),
});
const caseReviews = createRoute({
  ...inShell,
  path: '/apps/casereviews',
  component: lazyRouteComponent(() => import('../../features/reviews/ReviewsPage.tsx'), 'ReviewsPage'),
});
const mailSubscriptions = createRoute({
  ...inShell,
  path: '/apps/mailsubscriptions',
  component: lazyRouteComponent(
    () => import('../../features/mail-subscriptions/MailSubscriptionsPage.tsx'),
    'MailSubscriptionsPage',
  ),
});
const suppressions = createRoute({
  ...inShell,
  path: '/apps/suppressions',
  component: lazyRouteComponent(() => import('../../features/suppressions/SuppressionsPage.tsx'), 'SuppressionsPage'),
});
const events = createRoute({
  ...inShell,
  path: '/apps/events',
  component: lazyRouteComponent(() => import('../../features/events/EventsPage.tsx'), 'EventsPage'),
});
const sapphire = createRoute({
  ...inShell,
  path: '/apps/sapphire',
  component: lazyRouteComponent(() => import('../../features/sapphire/SapphirePage.tsx'), 'SapphirePage'),
});
const intelligence = createRoute({
  ...inShell,
  path: '/apps/intelligence',
  component: lazyRouteComponent(() => import('../../features/intelligence/IntelligencePage.tsx'), 'IntelligencePage'),
});

// One page for all kinds: the address names the kind.
const collectorConfigs = Object.values(configRoutes).map((route) =>
  createRoute({
    ...inShell,
    path: `/apps/${route}/{-$client}`,
    component: lazyRouteComponent(() => import('../../features/collectors/CollectorPage.tsx'), 'CollectorPage'),
  }),
);

const notFound = createRoute({
  getParentRoute: () => shell,
  path: '/pages/errors/error-404',
  component: lazyRouteComponent(() => import('../../features/pages/NotFoundPage.tsx'), 'NotFoundPage'),
});
const faq = createRoute({
  getParentRoute: () => shell,
  path: '/pages/faq',
  component: lazyRouteComponent(() => import('../../features/pages/FaqPage.tsx'), 'FaqPage'),
});

/** The gallery of the component kit, in development only. */
const kit = import.meta.env.DEV
  ? [
      createRoute({
        ...inShell,
        path: '/apps/kit',
        component: lazyRouteComponent(() => import('../../features/kit/KitPage.tsx'), 'KitPage'),
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
  outbox,
  caseReviews,
  mailSubscriptions,
  suppressions,
  events,
  sapphire,
  intelligence,
  notFound,
  faq,
  ...collectorConfigs,
  ...kit,
]);
