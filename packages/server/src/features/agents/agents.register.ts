import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Feature, Platform } from '../../core/feature.ts';
import { agentProtocolRoutes } from './agentProtocol.routes.ts';
import { type AgentProtocolDeps, type AgentProtocolService, createAgentProtocolService } from './agentProtocol.service.ts';
import { agentsRoutes } from './agents.routes.ts';
import { type AgentsService, createAgentsService } from './agents.service.ts';
import { type AgentTasksDeps, createAgentTasksService } from './agentTasks.service.ts';
import { releaseKeyOf } from './releaseKey.ts';
import { createReleasesService, type ReleasesService } from './releases.service.ts';
import { openTaskKeys } from './taskKeys.ts';

export { cancelTasks, queueTask } from './agents.tasks.ts';
// For the composition of the application; other features receive them as arguments.
export { collectedKey } from './agentTasks.service.ts';

const agentDir = fileURLToPath(new URL('../../../../agent/', import.meta.url));

export type AgentsDeps = Platform & Pick<AgentTasksDeps, 'onResult'> & Pick<AgentProtocolDeps, 'onHolding' | 'throttle'>;

export interface Agents {
  agents: AgentsService;
  releases: ReleasesService;
  protocol: AgentProtocolService;
}

export async function registerAgents(deps: AgentsDeps): Promise<Feature<Agents>> {
  const releaseKey = await releaseKeyOf(deps.config);
  const agents = createAgentsService(deps);
  const releases = createReleasesService({ ...deps, releaseKey });
  const tasks = createAgentTasksService(deps);
  const taskKeys = await openTaskKeys({ ...deps, secretOf: deps.keys.shared });
  const protocol = createAgentProtocolService({ ...deps, releaseKey, taskKeys });
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
