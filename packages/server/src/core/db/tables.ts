/** The tables as Kysely sees them; the migrations decide. */
import type { AgentTables } from './tables.agents.ts';
import type { AnalyticsTables } from './tables.analytics.ts';
import type { BillingTables } from './tables.billing.ts';
import type { CaseTables } from './tables.cases.ts';
import type { ClientAccessLogTables } from './tables.client-access-log.ts';
import type { ConnectionTables } from './tables.connections.ts';
import type { DeliveryTables } from './tables.deliveries.ts';
import type { DetectionTables } from './tables.detection.ts';
import type { IsolationTables } from './tables.isolation.ts';
import type { OperationsTables } from './tables.operations.ts';
import type { OrganisationTables } from './tables.organisations.ts';
import type { ReportTables } from './tables.reports.ts';
import type { RuleTables } from './tables.rules.ts';
import type { SapphireTables } from './tables.sapphire.ts';
import type { UserTables } from './tables.users.ts';
import type { WebhookTables } from './tables.webhooks.ts';

export interface Tables
  extends OrganisationTables,
    UserTables,
    DetectionTables,
    CaseTables,
    ConnectionTables,
    DeliveryTables,
    AgentTables,
    AnalyticsTables,
    BillingTables,
    IsolationTables,
    ClientAccessLogTables,
    OperationsTables,
    ReportTables,
    RuleTables,
    SapphireTables,
    WebhookTables {}

export const partitionedTables = ['alerts', 'alert_events', 'event_blocks'] as const satisfies readonly (keyof Tables)[];
