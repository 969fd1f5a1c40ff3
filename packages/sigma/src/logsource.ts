/**
 * Detects an event's log source by its shape. An undefined dimension (product, service, category) is unknown and restricts no rule; an
 * empty list is known to be none. Sources are interned: events of one kind share one object, and per-source data is computed
 * once.
 */
import { CATEGORIES_OF_SERVICE, CHANNEL_OF_PROVIDER, SERVICE_OF_CHANNEL, SERVICE_SYNONYMS } from './channels.ts';
import { identify } from './identify.ts';
import { type Document, type Source, sourceOf } from './source.ts';

/** An event and the parts of it that hold its fields; one object is reused for all events. */
export interface View {
  document: Document;
  /** `Event.System` or `winlog`. */
  system: Document | undefined;
  /** `Event.EventData` or `winlog.event_data`. */
  data: Document | undefined;
  /** The fields of `Event.UserData` or `winlog.user_data`. */
  user: Document | undefined;
}

export const newView = (): View => ({ document: {}, system: undefined, data: undefined, user: undefined });

const asObject = (value: unknown): Document | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Document) : undefined;

/** The keys under which converters of XML put an element's text once it has attributes: evtx and xmltodict, Velociraptor, xml2js. */
const TEXT_KEYS = ['#text', 'Value', '_'];

function leafOf(value: unknown): unknown {
  const node = asObject(value);
  if (!node) return value;
  for (const key of TEXT_KEYS) if (node[key] !== undefined) return node[key];
  return undefined;
}

function textAt(value: unknown): string | undefined {
  const leaf = leafOf(value);
  return typeof leaf === 'string' ? leaf : undefined;
}

function numberAt(value: unknown): number {
  if (typeof value === 'number') return value;
  const leaf = leafOf(value);
  return typeof leaf === 'number' || (typeof leaf === 'string' && leaf !== '') ? Number(leaf) : Number.NaN;
}

/** Fills the view and returns the source. */
export function classify(document: Document, view: View): Source {
  view.document = document;
  const event = asObject(document.Event) ?? document;
  const system = asObject(event.System);
  if (system && (system.EventID !== undefined || system.Channel !== undefined)) {
    view.system = system;
    view.data = namedData(asObject(event.EventData));
    view.user = userData(asObject(event.UserData));
    const channel = textAt(system.Channel) ?? channelOfProvider(providerOf(system));
    return windowsSource('evtx', channel, numberAt(system.EventID));
  }
  view.user = undefined;
  const winlog = asObject(document.winlog);
  if (winlog) {
    view.system = winlog;
    view.data = asObject(winlog.event_data);
    view.user = asObject(winlog.user_data);
    const channel = textAt(winlog.channel) ?? channelOfProvider(textAt(winlog.provider_name));
    return windowsSource(
      'winlog',
      channel,
      numberAt(winlog.event_id ?? asObject(document.event)?.code ?? document['event.code']),
    );
  }
  view.system = undefined;
  view.data = undefined;
  const dotted = document['winlog.channel'] ?? document['winlog.provider_name'];
  if (typeof dotted === 'string') {
    const channel = textAt(document['winlog.channel']) ?? channelOfProvider(dotted);
    return windowsSource(
      'winlog',
      channel,
      numberAt(document['winlog.event_id'] ?? document['event.code'] ?? asObject(document.event)?.code),
    );
  }
  const channel =
    textAt(document.Channel) ??
    textAt(document.LogName) ??
    textAt(document.channel) ??
    textAt(document.log_name) ??
    channelOfProvider(flatProvider(document));
  const id = document.EventID ?? document.EventId ?? document.EventCode ?? document.event_id ?? document.eventid ?? document.Id;
  if (channel !== undefined && id !== undefined) {
    view.data = asObject(document.EventData) ?? asObject(document.event_data);
    return windowsSource('flat', channel, numberAt(id));
  }
  return identify(document);
}

const flatProvider = (document: Document): string | undefined =>
  textAt(document.Provider_Name) ??
  textAt(document.ProviderName) ??
  textAt(document.SourceName) ??
  textAt(document.provider_name);

function providerOf(system: Document): string | undefined {
  return nameOf(system.Provider) ?? nameOf(system.Provider_attributes) ?? textAt(system.Provider);
}

const channelOfProvider = (provider: string | undefined): string | undefined =>
  provider === undefined ? undefined : CHANNEL_OF_PROVIDER.get(provider.toLowerCase());

/** `<UserData><X>…fields…</X></UserData>`: the fields are one level down. */
function userData(user: Document | undefined): Document | undefined {
  if (!user) return undefined;
  for (const key in user) {
    const inner = /^[#@$]|_attributes$/.test(key) ? undefined : asObject(user[key]);
    if (inner) return inner;
  }
  return user;
}

/** Some converters write `Data: [{ "@Name": "Image", "#text": "…" }]`, or without the list if there is one; that becomes `{ Image: "…" }`. */
function namedData(data: Document | undefined): Document | undefined {
  if (!data) return undefined;
  const list = Array.isArray(data.Data) ? data.Data : [data.Data];
  if (typeof list[0] !== 'object' || nameOf(list[0]) === undefined) return data;
  const named: Document = Object.create(null);
  for (const entry of list) {
    const name = nameOf(entry);
    if (name !== undefined) named[name] = leafOf(entry) ?? null;
  }
  return named;
}

/** The attribute `Name` of an element. */
function nameOf(element: unknown): string | undefined {
  const node = asObject(element);
  const attributes = asObject(node?.['#attributes']) ?? asObject(node?.$);
  return textAt(node?.['@Name']) ?? textAt(attributes?.Name) ?? textAt(node?.Name);
}

interface Channel {
  byId: Map<number, Source>;
  rest: Source;
}
const channels: Record<'evtx' | 'winlog' | 'flat', Map<string, Channel>> = {
  evtx: new Map(),
  winlog: new Map(),
  flat: new Map(),
};

function windowsSource(shape: 'evtx' | 'winlog' | 'flat', written: string | undefined, id: number): Source {
  if (written === undefined) return sourceOf(shape, ['windows'], [], []);
  const known = channels[shape];
  const channel = known.get(written) ?? readChannel(shape, written);
  return channel.byId.get(id) ?? channel.rest;
}

function readChannel(shape: 'evtx' | 'winlog' | 'flat', written: string): Channel {
  const known = channels[shape];
  const name = written.toLowerCase();
  const service = SERVICE_OF_CHANNEL.get(name);
  const key = service === undefined ? '' : name;
  let channel = known.get(key);
  if (!channel) {
    const product = name.startsWith('linux-') ? 'linux' : 'windows';
    const services = service === undefined ? [] : [service, ...(SERVICE_SYNONYMS.get(service) ?? [])];
    const byId = new Map<number, Source>();
    for (const [id, categories] of CATEGORIES_OF_SERVICE.get(service ?? '') ?? [])
      byId.set(id, sourceOf(shape, [product], services, categories));
    channel = { byId, rest: sourceOf(shape, [product], services, []) };
    known.set(key, channel);
  }
  // The spelling of shippers is cached too, within bounds, so that a typical event costs one lookup.
  if (service !== undefined && known.size < 1_000) known.set(written, channel);
  return channel;
}

/** Sources of all known channels, and of unidentified events; sources of one rule set share its index. */
export function usualSources(): Source[] {
  const found = [classify({}, newView())];
  for (const channel of SERVICE_OF_CHANNEL.keys()) {
    const { byId, rest } = readChannel('winlog', channel);
    found.push(rest, ...byId.values());
  }
  return found;
}
