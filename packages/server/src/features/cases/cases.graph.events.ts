/** Entities and actions of one event, by its ECS fields (https://www.elastic.co/docs/reference/ecs). */
import { addressesOf, type GraphBuilder, type Node } from './cases.graph.model.ts';
import type { GraphEvent } from './cases.graph.store.ts';

interface Subjects {
  device: Node | undefined;
  user: Node | undefined;
  process: Node | undefined;
}

export function addEvent(builder: GraphBuilder, event: GraphEvent): void {
  const at = event.at.getTime();
  const device = builder.device(deviceName(event), at);
  const user = builder.user(event.userName ?? event.alertUser, event.userName ? event.userDomain : null, device, at);
  const isSignIn = /authentication|session/.test(event.category ?? '');
  const process = isSignIn ? undefined : addProcess(builder, event, device, user);
  const subjects = { device, user, process };
  const things = [
    ...(isSignIn ? addSignIn(builder, event, subjects) : addConnections(builder, event, subjects)),
    ...addObjects(builder, event, subjects),
    ...addAccounts(builder, event, subjects),
  ];
  // Cloud services record who did something from where, without a process.
  if (!process && !isSignIn) {
    const [source] = addressesOf(event.sourceIps);
    if (user && source) builder.edge(builder.address(source, at), user, 'acted as', event, at);
    builder.edge(user, device, 'acted on', event, at);
  }
  const subject = process ?? user ?? things[0] ?? device;
  if (subject) builder.alert(subject, event);
}

/** As the alert names it, where both mean one device: its page has that name. */
function deviceName({ hostName, alertDevice }: GraphEvent): string | null {
  return alertDevice?.trim() ? alertDevice : hostName;
}

function addProcess(builder: GraphBuilder, event: GraphEvent, device: Node | undefined, user: Node | undefined) {
  const at = event.at.getTime();
  const { processId: entity, pid, processName: name, executable, commandLine } = event;
  const process = builder.process(device, { entity, pid, name, executable, commandLine }, at);
  if (!process) return undefined;
  const parent = builder.process(
    device,
    {
      entity: event.parentId,
      pid: event.parentPid,
      name: event.parentName,
      executable: event.parentExecutable,
      commandLine: event.parentCommandLine,
    },
    at,
  );
  builder.describe(process, 'User', user?.value);
  builder.describe(process, 'SHA-256', event.sha256);
  builder.edge(parent, process, 'started', event, at);
  // The user of a tree stands at its root.
  if (user && parent?.facts.get('User') !== user.value) builder.edge(user, process, 'ran', event, at);
  const target = event.targetImage;
  if (target && (event.code === '8' || event.code === '10')) {
    const opened = builder.process(
      device,
      { entity: null, pid: event.targetPid, name: null, executable: target, commandLine: null },
      at,
    );
    builder.edge(process, opened, event.code === '8' ? 'started a thread in' : 'opened', event, at);
  }
  return process;
}

function addSignIn(builder: GraphBuilder, event: GraphEvent, { device, user }: Subjects): Node[] {
  const at = event.at.getTime();
  const isFailure = event.outcome === 'failure';
  const sources = addressesOf(event.sourceIps).map((address) => builder.address(address, at));
  for (const source of sources)
    builder.edge(source, user ?? device, isFailure ? 'failed to sign in as' : user ? 'signed in as' : 'signed in to', event, at);
  builder.edge(user, device, isFailure ? 'failed to sign in to' : 'signed in to', event, at);
  return sources;
}

function addConnections(builder: GraphBuilder, event: GraphEvent, { device, process, user }: Subjects): Node[] {
  const at = event.at.getTime();
  const actor = process ?? device ?? user;
  const found: Node[] = [];
  const isInbound = event.direction === 'ingress' || event.direction === 'inbound';
  if (isInbound)
    for (const address of addressesOf(event.sourceIps)) {
      const source = builder.address(address, at);
      builder.edge(source, actor, 'connected to', event, at);
      found.push(source);
    }
  else
    for (const address of addressesOf(event.destinationIps)) {
      const target = builder.address(address, at);
      builder.describe(target, 'Host name', event.destinationName);
      builder.describe(target, 'Port', event.destinationPort);
      builder.edge(actor, target, 'connected to', event, at);
      found.push(target);
    }
  const name = event.urlDomain ?? (found.length === 0 && !isInbound ? event.destinationName : null);
  if (name) {
    const domain = builder.thing('domain', name, device, at);
    builder.describe(domain, 'URL', event.url);
    builder.edge(actor, domain, 'connected to', event, at);
    found.push(domain);
  }
  if (event.question) {
    const domain = builder.thing('domain', event.question, device, at);
    builder.edge(actor, domain, 'looked up', event, at);
    for (const address of addressesOf(event.resolvedIps).slice(0, 4))
      builder.edge(domain, builder.address(address, at), 'resolved to', event, at);
    found.push(domain);
  }
  return found;
}

/** Files, libraries, services and registry keys. */
function addObjects(builder: GraphBuilder, event: GraphEvent, { device, process, user }: Subjects): Node[] {
  const at = event.at.getTime();
  const actor = process ?? user ?? device;
  const found: Node[] = [];
  const add = (kind: 'file' | 'registry', value: string, action: string) => {
    const node = builder.thing(kind, value, device, at);
    builder.edge(actor, node, action, event, at);
    found.push(node);
    return node;
  };
  const path = event.filePath ?? event.fileName;
  if (path && path !== event.executable && path !== event.libraryPath) {
    const file = add('file', path, event.serviceName ? 'installed as a service' : fileAction(event));
    builder.describe(file, 'SHA-256', event.fileSha256);
    builder.describe(file, 'Service', event.serviceName);
  }
  if (event.libraryPath) add('file', event.libraryPath, 'loaded');
  if (event.registryPath) builder.describe(add('registry', event.registryPath, 'changed'), 'Value', event.registryData);
  return found;
}

const fileActions: readonly [type: string, action: string][] = [
  ['deletion', 'deleted'],
  ['creation', 'created'],
  ['change', 'changed'],
  ['access', 'read'],
];
const fileAction = ({ type }: GraphEvent): string => fileActions.find(([part]) => type?.includes(part))?.[1] ?? 'used';

/** Accounts that the user changed, or whose credentials the user used. */
function addAccounts(builder: GraphBuilder, event: GraphEvent, { device, user }: Subjects): Node[] {
  const at = event.at.getTime();
  const isManagement = event.category?.includes('iam') ?? false;
  const found: Node[] = [];
  for (const [name, domain, action] of [
    [event.targetUserName, event.targetUserDomain, isManagement ? 'changed account' : 'acted on'],
    [event.effectiveUserName, event.effectiveUserDomain, 'used credentials of'],
  ] as const) {
    const other = builder.user(name, domain, device, at);
    if (!other) continue;
    builder.edge(user, other, action, event, at);
    found.push(other);
  }
  return found;
}
