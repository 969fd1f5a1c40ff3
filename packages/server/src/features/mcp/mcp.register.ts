import type { Feature, Platform } from '../../core/feature.ts';
import { mcpRoutes } from './mcp.routes.ts';
import type { ToolServices } from './mcp.tools.ts';

export const registerMcp = ({ db, clock, log, services }: Platform & { services: ToolServices }): Feature => ({
  service: undefined,
  routes: (serving) => mcpRoutes(serving, { db, clock, log, services }),
});
