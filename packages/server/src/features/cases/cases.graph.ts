/** Attack graph of a case, built from its stored events. Pure and deterministic; every text is hostile and bounded. */
import { type CaseGraph, maxGraphEdges } from '@parapet/contract/caseGraph.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { tacticName, tacticPlace } from '../../domain/facts.ts';
import { addEvent } from './cases.graph.events.ts';
import { groupSimilar } from './cases.graph.groups.ts';
import { type Edge, GraphBuilder, type Marks, type Node, type Persons } from './cases.graph.model.ts';
import { type GraphEvent, maxGraphEvents } from './cases.graph.store.ts';

const maxAlerts = 5;
const maxFacts = 10;

export function buildGraph(all: readonly GraphEvent[], persons?: Persons): CaseGraph {
  const events = all.slice(0, maxGraphEvents).toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.alertId - b.alertId);
  const builder = new GraphBuilder(events, persons);
  for (const event of events) addEvent(builder, event);
  const { nodes, edges, parentOf } = groupSimilar(builder.finish());
  const ordered = nodes.toSorted((a, b) => a.firstAt - b.firstAt || (a.key < b.key ? -1 : 1));
  const numbers = new Map(ordered.map((node, index) => [node, index]));
  const shown = withinLimit(edges, parentOf);
  return {
    nodes: ordered.map((node, id) => {
      const parent = parentOf.get(node);
      return {
        id,
        kind: node.kind,
        label: node.label,
        value: node.value,
        facts: [...node.facts].slice(0, maxFacts).map(([name, value]) => ({ name, value })),
        parent: parent === undefined ? null : numbers.get(parent)!,
        grouped: node.grouped,
        ...timesOf(node),
        ...marksOf(node),
        alerts: [...node.alerts]
          .sort(([a, one], [b, other]) => other.criticality - one.criticality || a - b)
          .slice(0, maxAlerts)
          .map(([alertId, { rule, criticality }]) => ({ id: alertId, rule, criticality: severityOf(criticality) })),
        alertCount: node.alerts.size,
      };
    }),
    edges: shown.map((edge) => ({
      from: numbers.get(edge.from)!,
      to: numbers.get(edge.to)!,
      action: edge.action,
      count: edge.count,
      ...timesOf(edge),
      ...marksOf(edge),
      alertID: edge.alertId,
    })),
    omittedEdges: edges.length - shown.length,
    events: events.length,
    isPartial: all.length > maxGraphEvents,
  };
}

const timesOf = ({ firstAt, lastAt }: { firstAt: number; lastAt: number }) => ({
  firstTime: new Date(firstAt).toISOString(),
  lastTime: new Date(lastAt).toISOString(),
});

const marksOf = ({ criticality, tactics }: Marks) => ({
  severity: criticality === 0 ? null : severityOf(criticality),
  tactics: [...tactics]
    .sort((a, b) => (tacticPlace(a) ?? 99) - (tacticPlace(b) ?? 99) || (a < b ? -1 : 1))
    .slice(0, 14)
    .map((tactic) => tacticName(tactic).slice(0, 100)),
});

/** In order of time. Beyond the limit, edges of the tree and then the most severe ones stay. */
function withinLimit(edges: readonly Edge[], parentOf: ReadonlyMap<Node, Node>): Edge[] {
  const inTree = (edge: Edge) => Number(parentOf.get(edge.to) === edge.from);
  return edges
    .toSorted((a, b) => inTree(b) - inTree(a) || b.criticality - a.criticality || byTime(a, b))
    .slice(0, maxGraphEdges)
    .sort(byTime);
}

const byTime = (a: Edge, b: Edge): number => a.firstAt - b.firstAt || (a.key < b.key ? -1 : 1);
