/** A server of the Model Context Protocol for one request of one API key: the tools that its scopes allow, each call audited. */
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { Problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, ownScope } from '../../core/http/actor.ts';
import { refusalOf } from '../../core/http/serve.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { untrustedNotice, untrustedText } from './mcp.text.ts';
import type { Tool, ToolServices } from './mcp.tool.ts';
import { tools } from './mcp.tools.ts';

export interface McpDeps {
  db: Database;
  clock: Clock;
  log: Log;
  services: ToolServices;
}

/** Caller of one request. */
export interface Caller {
  actor: Actor;
  /** Takes one call of the key's budget. Throws tooManyRequests. */
  take: (tool: Tool) => Promise<void>;
  /** Records the access for the access log of clients. */
  recordAccess: (tool: Tool, args: Record<string, unknown>) => void;
  /** Counts a refusal; returns it, or throws tooManyRequests in its place. */
  refused: (error: Problem) => Promise<Problem>;
}

const maxInput = 1_000;

export const toolsOf = (actor: Actor): Tool[] => tools.filter(({ endpoint }) => refusalOf(actor, endpoint) === undefined);

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] });

/** Loaded with the first request: few installations use it. */
const loadSdk = () => import('@modelcontextprotocol/server');

export async function createMcpServer({ db, clock, log, services }: McpDeps, caller: Caller): Promise<McpServer> {
  const { actor } = caller;
  const { McpServer: Server } = await loadSdk();
  const server = new Server(
    { name: 'security-portal', title: 'Security portal', version: '1.0.0' },
    {
      instructions: `Alerts, cases, events and devices of a managed detection and response service. Nothing can be changed; notes and responses can be proposed to people. ${untrustedNotice}`,
    },
  );
  const call = async (tool: Tool, args: Record<string, unknown>): Promise<CallToolResult> => {
    try {
      await caller.take(tool);
      const input = JSON.stringify(args).slice(0, maxInput).toWellFormed();
      await scoped(db, ownScope(actor), (tx) =>
        recordAudit(tx, actor, {
          action: 'mcp.called',
          organisationId: actor.organisationId,
          target: tool.name,
          after: { tool: tool.name, input },
        }),
      );
      const data = await tool.run(services, actor, args as never, clock.now());
      caller.recordAccess(tool, args);
      return { content: [{ type: 'text', text: untrustedText(data) }] };
    } catch (error) {
      if (error instanceof Problem) return failed(await textOf(caller, error));
      log.error({ err: error, tool: tool.name }, 'a tool of the model context protocol failed');
      return failed('The portal could not read this. Try again later.');
    }
  };
  for (const tool of toolsOf(actor))
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        annotations: {
          readOnlyHint: !tool.proposes,
          destructiveHint: false,
          idempotentHint: !tool.proposes,
          openWorldHint: false,
        },
      },
      (args) => call(tool, args),
    );
  return server;
}

/** Text of a refusal, or of the exceeded budget in its place. */
async function textOf({ refused }: Caller, error: Problem): Promise<string> {
  const shown = await refused(error).catch((exceeded: unknown) => exceeded);
  const { message, errors } = shown instanceof Problem ? shown : error;
  const faults = Object.entries(errors ?? {}).map(([field, texts]) => `${field}: ${texts.join(' ')}`);
  return [message, ...faults].join('\n');
}

export { loadSdk };
