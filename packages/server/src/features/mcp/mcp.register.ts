import type { Feature, Platform } from '../../core/feature.ts';
import { type Assistants, mcpRoutes } from './mcp.routes.ts';
import type { ToolServices } from './mcp.tool.ts';

export const registerMcp = ({
  db,
  clock,
  log,
  services,
  assistants,
}: Platform & { services: ToolServices; assistants: Assistants }): Feature => ({
  service: undefined,
  routes: (serving) => mcpRoutes(serving, { db, clock, log, services }, assistants),
});
