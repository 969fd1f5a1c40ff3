/** An assistant: the official client of the Model Context Protocol with an API key of a person. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { KeyScope } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { expect } from 'vitest';
import type { TestApp, TestUser } from './app.ts';

/** Data between the marks of a result. */
export function markedData(text: string) {
  const [, mark, data] = /\n<untrusted-([\w-]{12})>\n(.*)\n<\/untrusted-\1>$/s.exec(text) ?? [];
  expect(mark, text).toBeDefined();
  return JSON.parse((data ?? '').replace(/\\u\{[0-9a-f]+\}/g, '?'));
}

/** Address of the running server; the application listens with the first call. */
export async function mcpUrl(t: TestApp): Promise<string> {
  const { server } = t.application.app;
  if (!server.listening) await t.application.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.address() as { port: number };
  return `http://127.0.0.1:${port}/mcp`;
}

export async function createKey(t: TestApp, user: TestUser, scopes: KeyScope[]): Promise<string> {
  const answer = await t.call(accountApi.createApiKey, { body: { name: 'Assistant', scopes, addressRanges: [] } }, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().key;
}

export async function mcpCaller(t: TestApp, user: TestUser, scopes: KeyScope[]) {
  const key = await createKey(t, user, scopes);
  const assistant = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${key}` };
  await assistant.connect(new StreamableHTTPClientTransport(new URL(await mcpUrl(t)), { requestInit: { headers } }));
  const send = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = (await assistant.callTool({ name, arguments: args })) as {
      content: { text: string }[];
      isError?: boolean;
    };
    return { isError: isError === true, text: content.map(({ text }) => text).join('\n') };
  };
  return {
    key,
    tools: async () => (await assistant.listTools()).tools,
    /** Data of a result. Throws for an error. */
    async call(name: string, args: Record<string, unknown> = {}) {
      const { isError, text } = await send(name, args);
      expect(isError, text).toBe(false);
      return markedData(text);
    },
    /** Text of a refusal. Throws for a result. */
    async fails(name: string, args: Record<string, unknown>): Promise<string> {
      const { isError, text } = await send(name, args);
      expect(isError, text).toBe(true);
      return text;
    },
    close: () => assistant.close(),
  };
}
