import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Feature, Platform } from '../../core/feature.ts';
import { agentProtocolRoutes } from './agentProtocol.routes.ts';
import { type AgentProtocolService, createAgentProtocolService } from './agentProtocol.service.ts';
import { agentsRoutes } from './agents.routes.ts';
import { type AgentsService, createAgentsService } from './agents.service.ts';
import { createAgentTasksService } from './agentTasks.service.ts';
import { releaseKeyOf } from './releaseKey.ts';
import { createReleasesService, type ReleasesService } from './releases.service.ts';
import { openTaskKeys } from './taskKeys.ts';

const agentDir = fileURLToPath(new URL('../../../../agent/', import.meta.url));

export type AgentsDeps = Platform &
  Pick<Parameters<typeof createAgentTasksService>[0], 'onResult'> &
  Pick<Parameters<typeof createAgentProtocolService>[0], 'onHolding' | 'throttle'>;

export interface Agents {
  agents: AgentsService;
  releases: ReleasesService;
  protocol: AgentProtocolService;
}

export async function registerAgents({
  db,
  bus,
  blobs,
  keys,
  clock,
  config,
  onResult,
  onHolding,
  throttle,
  log,
}: AgentsDeps): Promise<Feature<Agents>> {
  const releaseKey = await releaseKeyOf(config);
  const agents = createAgentsService({ db, clock });
  const releases = createReleasesService({ db, blobs, clock, releaseKey });
  const tasks = createAgentTasksService({ db, bus, clock, blobs, onResult, log });
  const taskKeys = await openTaskKeys({ db, clock, secretOf: keys.shared });
  const protocol = createAgentProtocolService({ db, clock, throttle, onHolding, releaseKey, taskKeys });
  const bundle = { agent: join(agentDir, 'dist/agent.mjs'), install: join(agentDir, 'install.sh') };
  return {
    service: { agents, releases, protocol },
    routes: (serving) => agentsRoutes(serving, agents, releases),
    async intakeRoutes(app) {
      await agentProtocolRoutes(app, { wire: protocol, tasks, releases, taskKeys, bundle });
      // Ends the open requests of waiting agents, which then call another process.
      app.addHook('preClose', async () => tasks.close());
    },
    jobs: [{ name: 'agentTasks.expire', cron: '* * * * *', run: tasks.expire }],
  };
}
