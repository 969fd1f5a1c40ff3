/** Attack graph of a case: entities of its alerts’ stored events, and what happened between them in order of time. */
import { z } from 'zod';
import { count, instant, line, severity } from './primitives.ts';

export const maxGraphNodes = 500;
export const maxGraphEdges = 2_000;

export const graphNodeKinds = ['device', 'user', 'process', 'address', 'domain', 'file', 'registry'] as const;
export type GraphNodeKind = (typeof graphNodeKinds)[number];

const nodeId = z
  .number()
  .int()
  .min(0)
  .max(maxGraphNodes - 1);
const tactics = z.array(line).max(14).describe('ATT&CK tactics of its alerts’ rules, in the order of the matrix.');
const worst = severity.nullable().describe('Highest severity of its alerts; null without any.');

const graphAlert = z.object({
  id: z.number().int().describe('Alert ID.'),
  rule: line.describe('Rule title.'),
  criticality: severity,
});

export const graphNode = z.object({
  id: nodeId.describe('Number of the node in this graph, in order of first occurrence.'),
  kind: z.enum(graphNodeKinds).describe('Kind of entity.'),
  label: line.describe('Short name.'),
  value: line.describe('Full name: device, account, path, address or domain; empty for grouped entities.'),
  facts: z
    .array(z.object({ name: line.describe('Field.'), value: line.describe('Value.') }))
    .max(10)
    .describe('Further fields of the entity.'),
  parent: nodeId
    .nullable()
    .describe('Node above it in the tree of the layout: the parent process, or the entity of first contact; null for a root.'),
  firstTime: instant.describe('First occurrence in the case.'),
  lastTime: instant.describe('Last occurrence in the case.'),
  grouped: count.describe('Number of similar entities that this node stands for; 0 for a single entity.'),
  severity: worst,
  tactics,
  alerts: z.array(graphAlert).max(5).describe('Alerts of this entity, worst first.'),
  alertCount: count.describe('Number of alerts of this entity.'),
});
export type GraphNode = z.infer<typeof graphNode>;

export const graphEdge = z.object({
  from: nodeId.describe('Acting node.'),
  to: nodeId.describe('Node acted on.'),
  action: line.describe('Verb, for example "started" or "connected to".'),
  firstTime: instant.describe('First occurrence.'),
  lastTime: instant.describe('Last occurrence.'),
  count: count.describe('Number of events.'),
  severity: worst,
  tactics,
  alertID: z.number().int().nullable().describe('Worst alert whose event it is from; null without any.'),
});
export type GraphEdge = z.infer<typeof graphEdge>;

export const caseGraph = z.object({
  nodes: z.array(graphNode).max(maxGraphNodes).describe('Entities in order of first occurrence.'),
  edges: z.array(graphEdge).max(maxGraphEdges).describe('Actions in order of time.'),
  omittedEdges: count.describe('Actions left out because of the limit; least severe ones.'),
  events: count.describe('Number of stored events read.'),
  isPartial: z.boolean().describe('True when the case has more stored events than were read; those of the worst alerts were.'),
});
export type CaseGraph = z.infer<typeof caseGraph>;
