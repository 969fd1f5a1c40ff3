/** A tool: belongs to a call of the contract, whose permission, scope and budget it has. */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { z } from 'zod';
import type { Actor } from '../../core/http/actor.ts';
import type { AlertsService } from '../alerts/alerts.service.ts';
import type { CasesService } from '../cases/cases.service.ts';
import type { DevicesService } from '../devices/devices.service.ts';
import type { EventsService } from '../events/events.service.ts';
import type { OrganisationsService } from '../organisations/organisations.service.ts';
import type { ProposalsService } from '../proposals/proposals.service.ts';
import type { ReportsService } from '../reports/reports.service.ts';

export interface ToolServices {
  alerts: Pick<AlertsService, 'list'>;
  cases: Pick<CasesService, 'list' | 'detail'>;
  devices: Pick<DevicesService, 'list'>;
  events: Pick<EventsService, 'search'>;
  organisations: Pick<OrganisationsService, 'getAllClients'>;
  proposals: Pick<ProposalsService, 'proposeNote' | 'proposeResponse'>;
  reports: Pick<ReportsService, 'get'>;
}

/** Called with parsed arguments; throws a Problem for what the caller may not see. */
type Run = (services: ToolServices, actor: Actor, args: never, now: number) => Promise<Record<string, unknown>>;

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Call of the contract with the same permission. */
  endpoint: Endpoint;
  input: z.ZodObject;
  /** Leaves a proposal that a person decides on; every other tool reads. */
  proposes?: true;
  run: Run;
}

export const tool = <I extends z.ZodObject>(
  of: Omit<Tool, 'input' | 'run'> & {
    input: I;
    run: (services: ToolServices, actor: Actor, args: z.output<I>, now: number) => Promise<Record<string, unknown>>;
  },
): Tool => ({ ...of, run: of.run as unknown as Run });

export const caseField = z.number().int().min(1).max(2_147_483_647).describe('Case ID from search_cases.');
