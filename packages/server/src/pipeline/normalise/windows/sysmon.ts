/**
 * Sysmon’s events 1 to 29. Categories and types follow Elastic’s own Sysmon pipeline, which does not run before the portal.
 */
import type { Document } from '../../event.ts';
import { baseName, fill, ip, isObject, type Kind, kind, known, port, section, text } from '../doc.ts';
import { fillFile, fillHashes, fillImage, fillRegistry, fillUser, type Row, type Table, type WindowsEvent } from './event.ts';

const byUser = (data: Document, name: string = 'User'): string => {
  const user = known(data[name]);
  return user === undefined ? '' : ` by ${user}`;
};
const imageName = (data: Document, field = 'Image'): string => baseName(known(data[field])) ?? 'A process';

function fillActor({ document, data }: WindowsEvent): Document {
  const process = section(document, 'process');
  fillImage(process, data.Image, data.ProcessId, data.ProcessGuid);
  if (data.User !== undefined) fillUser(section(document, 'user'), data.User);
  return process;
}

function fillCreated(event: WindowsEvent): void {
  const { data } = event;
  const process = fillActor(event);
  fill(process, 'command_line', known(data.CommandLine));
  fill(process, 'working_directory', known(data.CurrentDirectory));
  if (!isObject(process.pe)) fillProgramFile(process, data);
  fillHashes(process, data.Hashes);
  if (data.ParentImage !== undefined || data.ParentProcessGuid !== undefined) {
    const parent = section(process, 'parent');
    fillImage(parent, data.ParentImage, data.ParentProcessId, data.ParentProcessGuid);
    fill(parent, 'command_line', known(data.ParentCommandLine));
    if (known(data.ParentUser)) fillUser(section(parent, 'user'), data.ParentUser);
  }
}

/** Version information of the executable. */
function fillProgramFile(process: Document, data: Document): void {
  const original = known(data.OriginalFileName);
  const company = known(data.Company);
  const description = known(data.Description);
  const product = known(data.Product);
  const version = known(data.FileVersion);
  if (!(original ?? company ?? description ?? product ?? version)) return;
  const pe = section(process, 'pe');
  fill(pe, 'original_file_name', original);
  fill(pe, 'company', company);
  fill(pe, 'description', description);
  fill(pe, 'product', product);
  fill(pe, 'file_version', version);
}

function fillConnection(event: WindowsEvent): void {
  const { document, data } = event;
  fillActor(event);
  const source = section(document, 'source');
  fill(source, 'ip', ip(data.SourceIp));
  fill(source, 'port', port(data.SourcePort));
  fill(source, 'domain', known(data.SourceHostname));
  const destination = section(document, 'destination');
  fill(destination, 'ip', ip(data.DestinationIp));
  fill(destination, 'port', port(data.DestinationPort));
  fill(destination, 'domain', known(data.DestinationHostname));
  const network = section(document, 'network');
  fill(network, 'transport', known(data.Protocol)?.toLowerCase());
  const protocol = known(data.DestinationPortName);
  if (protocol !== undefined) fill(network, 'protocol', protocol.toLowerCase());
  const initiated = text(data.Initiated)?.toLowerCase();
  if (initiated !== undefined) fill(network, 'direction', initiated === 'true' ? 'egress' : 'ingress');
}

function fillLibrary(event: WindowsEvent): void {
  const { document, data } = event;
  if (event.id === 7) fillActor(event);
  const loaded = fillFile(document, data.ImageLoaded);
  const place = event.id === 7 ? section(document, 'dll') : loaded;
  if (place === undefined) return;
  fill(place, 'path', known(data.ImageLoaded));
  fill(place, 'name', baseName(known(data.ImageLoaded)));
  fillHashes(place, data.Hashes);
  const signed = text(data.Signed)?.toLowerCase();
  if (signed !== undefined) {
    const signature = section(place, 'code_signature');
    fill(signature, 'exists', signed === 'true');
    fill(signature, 'subject_name', known(data.Signature));
    fill(signature, 'status', known(data.SignatureStatus));
  }
}

function fillAccess({ document, data }: WindowsEvent): void {
  const process = section(document, 'process');
  fillImage(process, data.SourceImage, data.SourceProcessId, data.SourceProcessGuid ?? data.SourceProcessGUID);
  if (known(data.SourceUser)) fillUser(section(document, 'user'), data.SourceUser);
}

function fillFileEvent(event: WindowsEvent): void {
  fillActor(event);
  const file = fillFile(event.document, event.data.TargetFilename);
  if (file) fillHashes(file, event.data.Hashes ?? event.data.Hash);
}

function fillRegistryEvent(event: WindowsEvent): void {
  fillActor(event);
  const registry = fillRegistry(
    event.document,
    event.data.TargetObject,
    event.id !== 12 || /value/i.test(text(event.data.EventType) ?? ''),
  );
  const details = known(event.data.Details);
  if (registry && details !== undefined && event.id === 13) fill(section(registry, 'data'), 'strings', [details]);
}

function fillPipe(event: WindowsEvent): void {
  fillActor(event);
  const name = known(event.data.PipeName);
  if (name !== undefined) fill(section(event.document, 'file'), 'name', name.replace(/^\\/, ''));
}

function fillQuery(event: WindowsEvent): void {
  const { document, data } = event;
  fillActor(event);
  const dns = section(document, 'dns');
  fill(section(dns, 'question'), 'name', known(data.QueryName));
  const results = known(data.QueryResults);
  if (results !== undefined) {
    const addresses: string[] = [];
    for (const part of results.slice(0, 4000).split(';')) {
      const address = ip(part);
      if (address !== undefined && !addresses.includes(address)) addresses.push(address);
    }
    if (addresses.length > 0) fill(dns, 'resolved_ip', addresses);
  }
  fill(dns, 'response_code', text(data.QueryStatus) === '0' ? 'NOERROR' : known(data.QueryStatus));
  fill(section(document, 'network'), 'protocol', 'dns');
}

function fillHashed(event: WindowsEvent): void {
  fillHashes(fillActor(event), event.data.Hashes);
}

function sayFile(verb: string): (event: WindowsEvent) => string {
  return ({ data }) => `${imageName(data)}${byUser(data)} ${verb} ${known(data.TargetFilename) ?? 'a file'}`;
}

function sayRegistry({ id, data }: WindowsEvent): string {
  const target = known(data.TargetObject) ?? 'the registry';
  const details = known(data.Details);
  const verb = id === 13 ? 'set' : id === 14 ? 'renamed' : (known(data.EventType) ?? 'changed');
  return `${imageName(data)} ${verb} ${target}${details === undefined ? '' : ` to ${details}`}`;
}

function sayConnection({ data }: WindowsEvent): string {
  const to = known(data.DestinationHostname) ?? known(data.DestinationIp) ?? 'an unknown address';
  return `${imageName(data)}${byUser(data)} connected to ${to}${known(data.DestinationPort) ? ` port ${text(data.DestinationPort)}` : ''}`;
}

function sayCreated({ data }: WindowsEvent): string {
  return `${imageName(data)} started${byUser(data)}: ${known(data.CommandLine) ?? known(data.Image) ?? ''}`;
}

function row(what: Kind, fillRow: Row['fill'], summarise: Row['summarise']): Row {
  return { kind: what, fill: fillRow, summarise: summarise };
}

const actor = (event: WindowsEvent): void => void fillActor(event);

export const sysmonTable: Table = new Map([
  [1, row(kind('process', 'start', 'Process creation'), fillCreated, sayCreated)],
  [
    2,
    row(kind('file', 'change', 'A process changed a file creation time'), fillFileEvent, sayFile('changed the creation time of')),
  ],
  [3, row(kind('network', 'start connection protocol', 'Network connection'), fillConnection, sayConnection)],
  [
    4,
    row(
      kind('process', 'change', 'Sysmon service state changed'),
      undefined,
      ({ data }) => `Sysmon service ${known(data.State) ?? 'changed'}`,
    ),
  ],
  [5, row(kind('process', 'end', 'Process terminated'), actor, ({ data }) => `${imageName(data)} ended`)],
  [6, row(kind('driver', 'start', 'Driver loaded'), fillLibrary, ({ data }) => `Driver ${known(data.ImageLoaded) ?? ''} loaded`)],
  [
    7,
    row(
      kind('process', 'change', 'Image loaded'),
      fillLibrary,
      ({ data }) => `${imageName(data)} loaded ${known(data.ImageLoaded) ?? 'a library'}`,
    ),
  ],
  [
    8,
    row(
      kind('process', 'change', 'CreateRemoteThread'),
      fillAccess,
      ({ data }) => `${imageName(data, 'SourceImage')} started a thread in ${imageName(data, 'TargetImage')}`,
    ),
  ],
  [
    9,
    row(
      kind('process', 'access', 'RawAccessRead'),
      actor,
      ({ data }) => `${imageName(data)} read ${known(data.Device) ?? 'a disk'} directly`,
    ),
  ],
  [
    10,
    row(
      kind('process', 'access', 'ProcessAccess'),
      fillAccess,
      ({ data }) =>
        `${imageName(data, 'SourceImage')} opened ${imageName(data, 'TargetImage')} with access ${known(data.GrantedAccess) ?? 'unknown'}`,
    ),
  ],
  [11, row(kind('file', 'creation', 'FileCreate'), fillFileEvent, sayFile('created'))],
  [12, row(kind('configuration registry', 'change', 'RegistryEvent (Object create and delete)'), fillRegistryEvent, sayRegistry)],
  [13, row(kind('configuration registry', 'change', 'RegistryEvent (Value Set)'), fillRegistryEvent, sayRegistry)],
  [14, row(kind('configuration registry', 'change', 'RegistryEvent (Key and Value Rename)'), fillRegistryEvent, sayRegistry)],
  [15, row(kind('file', 'access', 'FileCreateStreamHash'), fillFileEvent, sayFile('wrote the stream'))],
  [
    16,
    row(
      kind('configuration', 'change', 'ServiceConfigurationChange'),
      undefined,
      ({ data }) => `Sysmon configuration changed: ${known(data.Configuration) ?? ''}`,
    ),
  ],
  [
    17,
    row(
      kind('file', 'creation', 'PipeEvent (Pipe Created)'),
      fillPipe,
      ({ data }) => `${imageName(data)} created the pipe ${known(data.PipeName) ?? ''}`,
    ),
  ],
  [
    18,
    row(
      kind('file', 'access', 'PipeEvent (Pipe Connected)'),
      fillPipe,
      ({ data }) => `${imageName(data)} connected to the pipe ${known(data.PipeName) ?? ''}`,
    ),
  ],
  [
    19,
    row(
      kind('process', 'info', 'WmiEvent (WmiEventFilter activity detected)'),
      actor,
      ({ data }) => `WMI event filter ${known(data.Name) ?? ''}${byUser(data)}: ${known(data.Query) ?? ''}`,
    ),
  ],
  [
    20,
    row(
      kind('process', 'change', 'WmiEvent (WmiEventConsumer activity detected)'),
      actor,
      ({ data }) => `WMI event consumer ${known(data.Name) ?? ''}${byUser(data)}: ${known(data.Destination) ?? ''}`,
    ),
  ],
  [
    21,
    row(
      kind('process', 'access', 'WmiEvent (WmiEventConsumerToFilter activity detected)'),
      actor,
      ({ data }) => `WMI event consumer bound to a filter${byUser(data)}: ${known(data.Consumer) ?? ''}`,
    ),
  ],
  [
    22,
    row(
      kind('network', 'connection protocol info', 'DNSEvent (DNS query)'),
      fillQuery,
      ({ data }) => `${imageName(data)}${byUser(data)} looked up ${known(data.QueryName) ?? 'a name'}`,
    ),
  ],
  [23, row(kind('file', 'deletion', 'FileDelete (File Delete archived)'), fillFileEvent, sayFile('deleted'))],
  [
    24,
    row(
      kind('', 'change', 'ClipboardChange (New content in the clipboard)'),
      fillHashed,
      ({ data }) => `${imageName(data)}${byUser(data)} changed the clipboard`,
    ),
  ],
  [
    25,
    row(
      kind('process', 'change', 'ProcessTampering (Process image change)'),
      actor,
      ({ data }) => `The image of ${imageName(data)} was tampered with: ${known(data.Type) ?? ''}`,
    ),
  ],
  [26, row(kind('file', 'deletion', 'FileDeleteDetected (File Delete logged)'), fillFileEvent, sayFile('deleted'))],
  [27, row(kind('file', 'creation', 'FileBlockExecutable', 'failure'), fillFileEvent, sayFile('was kept from creating'))],
  [28, row(kind('file', 'deletion', 'FileBlockShredding', 'failure'), fillFileEvent, sayFile('was kept from shredding'))],
  [29, row(kind('file', 'creation', 'FileExecutableDetected'), fillFileEvent, sayFile('created the executable'))],
  [
    255,
    row(kind('process', 'error', 'Error', 'failure'), undefined, ({ data }) => `Sysmon error: ${known(data.Description) ?? ''}`),
  ],
]);
