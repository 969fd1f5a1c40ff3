/** Walks every schema of an endpoint and lists unbounded or undescribed fields. */
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { z } from 'zod';

interface Node {
  type?: string | string[];
  description?: string;
  maxLength?: number;
  maxItems?: number;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Node;
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  anyOf?: Node[];
  allOf?: Node[];
  $ref?: string;
}

export function faultsOf(endpoint: Endpoint): string[] {
  const faults: string[] = [];
  for (const part of ['params', 'query', 'body', 'answer'] as const) {
    const schema = z.toJSONSchema(endpoint[part], { io: part === 'answer' ? 'output' : 'input', unrepresentable: 'any' }) as Node;
    walk(schema, `${endpoint.id} ${part}`, faults);
  }
  return faults;
}

function walk(node: Node, path: string, faults: string[]): void {
  const { type } = node;
  if (type === 'string' && node.maxLength === undefined && !node.enum && node.const === undefined && node.format !== 'uuid')
    faults.push(`${path}: a text without a limit`);
  if (type === 'array') {
    if (node.maxItems === undefined) faults.push(`${path}: a list without a limit`);
    if (node.items) walk(node.items, `${path}[]`, faults);
  }
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const at = `${path}.${name}`;
    const isPaging = ['results', 'total', 'page', 'pageSize', 'start', 'end'].includes(name);
    if (!property.description && !isPaging) faults.push(`${at}: no description`);
    walk(property, at, faults);
  }
  if (typeof node.additionalProperties === 'object') walk(node.additionalProperties, `${path}{}`, faults);
  for (const branch of [...(node.anyOf ?? []), ...(node.allOf ?? [])]) walk(branch, path, faults);
}
