/** Grouping of similar entities, so that an attack graph of any size stays readable, and the tree of its layout. */
import { maxGraphNodes } from '@parapet/contract/caseGraph.ts';
import type { Edge, Graph, Node } from './cases.graph.model.ts';

/** Shown siblings of one kind and action, tried in this order until the graph fits. */
const shownSiblings = [24, 12, 6, 3, 1];
const maxNames = 10;

const plural = {
  device: 'devices',
  user: 'users',
  process: 'processes',
  address: 'addresses',
  domain: 'domains',
  file: 'files',
  registry: 'registry keys',
} as const satisfies Record<Node['kind'], string>;

export interface Tree extends Graph {
  /** Absent for roots; without cycles. */
  parentOf: ReadonlyMap<Node, Node>;
}

export function groupSimilar(graph: Graph): Tree {
  const tree = treeOf(graph);
  for (const shown of shownSiblings) {
    const grouped = contract(tree, groupSiblings(tree, shown));
    if (grouped.nodes.length <= maxGraphNodes) return grouped;
  }
  return contract(tree, groupRest(tree));
}

const byTime = (a: { firstAt: number; key: string }, b: { firstAt: number; key: string }): number =>
  a.firstAt - b.firstAt || (a.key < b.key ? -1 : 1);

/** The parent process, else the entity of first contact that is not below the node. */
function treeOf(graph: Graph): Tree {
  const parentOf = new Map<Node, Node>();
  const incoming = Map.groupBy(graph.edges, ({ to }) => to);
  // Union-find: a node without a parent is the root of its tree, so an entity below it is one of the same tree.
  const above = new Map<Node, Node>();
  const rootOf = (node: Node): Node => {
    let at = node;
    for (let next = above.get(at); next; next = above.get(at)) {
      const skipped = above.get(next);
      if (skipped) above.set(at, skipped);
      at = next;
    }
    return at;
  };
  const rank = ({ action, from }: Edge) =>
    action === 'started' ? 0 : from.kind === 'process' ? 1 : from.kind === 'device' ? 2 : 3;
  for (const node of graph.nodes.toSorted(byTime)) {
    const edges = (incoming.get(node) ?? []).sort((a, b) => rank(a) - rank(b) || byTime(a, b));
    const first = edges.find(({ from }) => rootOf(from) !== node);
    if (!first) continue;
    parentOf.set(node, first.from);
    above.set(node, first.from);
  }
  return { ...graph, parentOf };
}

/** The most severe first, then those that lead further, then the earliest. */
function byWeight(leads: ReadonlySet<Node>) {
  return (a: Node, b: Node): number =>
    b.criticality - a.criticality || Number(leads.has(b)) - Number(leads.has(a)) || byTime(a, b);
}

/** Node → the node that stands for it, from the roots down. */
function groupSiblings({ nodes, edges, parentOf }: Tree, shown: number): Map<Node, Node> {
  const into = new Map<Node, Node>();
  const children = Map.groupBy(
    nodes.filter((node) => parentOf.has(node)),
    (node) => parentOf.get(node)!,
  );
  const actions = new Map(
    edges.flatMap((edge) => (parentOf.get(edge.to) === edge.from ? [[edge.to, edge.action] as const] : [])),
  );
  const heaviest = byWeight(new Set(parentOf.values()));
  let level = nodes.filter((node) => !parentOf.has(node));
  while (level.length > 0) {
    const families = Map.groupBy(level, (node) => {
      const parent = parentOf.get(node);
      const above = parent && (into.get(parent) ?? parent);
      return `${above?.key ?? ''}\0${node.kind}\0${actions.get(node) ?? ''}`;
    });
    for (const [key, siblings] of families) {
      if (siblings.length <= shown + 1) continue;
      const rest = siblings.sort(heaviest).slice(shown);
      const group = groupOf(key, rest, 'similar');
      for (const node of rest) into.set(node, group);
    }
    level = level.flatMap((node) => children.get(node) ?? []);
  }
  return into;
}

/** All but the heaviest nodes, by kind. */
function groupRest({ nodes, parentOf }: Tree): Map<Node, Node> {
  const rest = nodes.toSorted(byWeight(new Set(parentOf.values()))).slice(maxGraphNodes - Object.keys(plural).length);
  const into = new Map<Node, Node>();
  for (const [kind, some] of Map.groupBy(rest, (node) => node.kind)) {
    const group = groupOf(kind, some, 'other');
    for (const node of some) into.set(node, group);
  }
  return into;
}

function groupOf(key: string, nodes: readonly Node[], word: 'similar' | 'other'): Node {
  const { kind } = nodes[0]!;
  const alerts = nodes.flatMap((node) => [...node.alerts]).sort(([, a], [, b]) => b.criticality - a.criticality);
  const names = [...new Set(nodes.map(({ label }) => label))];
  return {
    key: `group\0${key}`,
    kind,
    label: `+${nodes.length} ${word} ${plural[kind]}`,
    value: '',
    facts: new Map(names.slice(0, maxNames).map((name, index) => [`Entity ${index + 1}`, name])),
    firstAt: nodes.reduce((first, node) => Math.min(first, node.firstAt), Number.POSITIVE_INFINITY),
    lastAt: nodes.reduce((last, node) => Math.max(last, node.lastAt), 0),
    grouped: nodes.length,
    alerts: new Map(alerts),
    criticality: nodes.reduce((worst, node) => Math.max(worst, node.criticality), 0),
    tactics: new Set(nodes.flatMap((node) => [...node.tactics])),
  };
}

/** Replaces nodes by those that stand for them and joins edges that become equal. */
function contract({ nodes, edges }: Graph, into: ReadonlyMap<Node, Node>): Tree {
  const of = (node: Node) => into.get(node) ?? node;
  const joined = new Map<string, Edge>();
  for (const edge of edges) {
    const [from, to] = [of(edge.from), of(edge.to)];
    if (from === to) continue;
    const key = [from.key, edge.action, to.key].join('\0');
    const known = joined.get(key);
    joined.set(key, known ? joinEdges(known, edge) : { ...edge, key, from, to });
  }
  return treeOf({ nodes: [...new Set(nodes.map(of))], edges: [...joined.values()] });
}

const joinEdges = (one: Edge, other: Edge): Edge => ({
  ...one,
  firstAt: Math.min(one.firstAt, other.firstAt),
  lastAt: Math.max(one.lastAt, other.lastAt),
  count: one.count + other.count,
  alertId: other.criticality > one.criticality ? other.alertId : one.alertId,
  criticality: Math.max(one.criticality, other.criticality),
  tactics: new Set([...one.tactics, ...other.tactics]),
});
