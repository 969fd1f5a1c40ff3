/**
 * JSON Schemas of the STIX objects in the bundles of cases, written from STIX 2.1 (OASIS standard, 10 June 2021,
 * docs.oasis-open.org/cti/stix/v2.1/os/stix-v2.1-os.html): required and used properties, their types, and vocabularies that are closed.
 */
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const idOf = (...types: string[]) => ({ type: 'string', pattern: `^(${types.join('|')})--${uuid}$` });
const anyId = idOf('[a-z0-9-]+');
const text = { type: 'string', minLength: 1 };
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' };
const list = (items: object) => ({ type: 'array', minItems: 1, items });
const reference = {
  type: 'object',
  additionalProperties: false,
  required: ['source_name'],
  anyOf: [{ required: ['external_id'] }, { required: ['url'] }, { required: ['description'] }],
  properties: { source_name: text, external_id: text, url: text, description: text },
};
const observableTypes = ['ipv4-addr', 'ipv6-addr', 'domain-name', 'file', 'directory', 'process', 'user-account'];

const object = (type: string, required: string[], properties: object) => ({
  type: 'object',
  additionalProperties: false,
  required: ['type', 'spec_version', 'id', 'object_marking_refs', ...required],
  properties: {
    type: { const: type },
    spec_version: { const: '2.1' },
    id: idOf(type),
    object_marking_refs: list(idOf('marking-definition')),
    ...properties,
  },
});

/** Domain and relationship objects (§3.2). */
const domainObject = (type: string, required: string[], properties: object) =>
  object(type, ['created', 'modified', ...required], {
    created: time,
    modified: time,
    created_by_ref: idOf('identity'),
    external_references: list(reference),
    confidence: { type: 'integer', minimum: 0, maximum: 100 },
    ...properties,
  });

const hash = (length: number) => ({ type: 'string', pattern: `^[0-9a-f]{${length}}$` });

export const stixSchemas: Record<string, object> = {
  identity: domainObject('identity', ['name'], {
    name: text,
    identity_class: { enum: ['individual', 'group', 'system', 'organization', 'class', 'unspecified'] },
  }),
  incident: domainObject('incident', ['name'], { name: text, description: text }),
  report: domainObject('report', ['name', 'published', 'object_refs'], {
    name: text,
    description: text,
    report_types: list({ enum: ['observed-data', 'indicator'] }),
    published: time,
    object_refs: list(anyId),
  }),
  'attack-pattern': domainObject('attack-pattern', ['name'], { name: text }),
  indicator: domainObject('indicator', ['pattern', 'pattern_type', 'valid_from'], {
    name: text,
    indicator_types: list({ enum: ['malicious-activity', 'anomalous-activity'] }),
    pattern: { type: 'string', pattern: "^\\[[a-z0-9-]+:[A-Za-z0-9_.'-]+ = '([^'\\\\]|\\\\['\\\\])*'\\]$", minLength: 1 },
    pattern_type: { const: 'stix' },
    pattern_version: { const: '2.1' },
    valid_from: time,
  }),
  'observed-data': domainObject('observed-data', ['first_observed', 'last_observed', 'number_observed', 'object_refs'], {
    first_observed: time,
    last_observed: time,
    number_observed: { type: 'integer', minimum: 1, maximum: 999_999_999 },
    object_refs: list(idOf(...observableTypes)),
  }),
  relationship: domainObject('relationship', ['relationship_type', 'source_ref', 'target_ref'], {
    relationship_type: { const: 'based-on' },
    source_ref: idOf('indicator'),
    target_ref: idOf('observed-data'),
  }),
  'ipv4-addr': object('ipv4-addr', ['value'], { value: { type: 'string', pattern: '^\\d+(\\.\\d+){3}$' } }),
  'ipv6-addr': object('ipv6-addr', ['value'], { value: { type: 'string', pattern: '^[0-9a-f:.]+$' } }),
  'domain-name': object('domain-name', ['value'], { value: text }),
  directory: object('directory', ['path'], { path: text }),
  'user-account': object('user-account', [], { account_login: text }),
  process: object('process', ['image_ref'], { image_ref: idOf('file') }),
  file: {
    ...object('file', [], {
      name: text,
      parent_directory_ref: idOf('directory'),
      hashes: {
        type: 'object',
        minProperties: 1,
        additionalProperties: false,
        properties: { MD5: hash(32), 'SHA-1': hash(40), 'SHA-256': hash(64), 'SHA-512': hash(128) },
      },
    }),
    anyOf: [{ required: ['hashes'] }, { required: ['name'] }],
  },
  'marking-definition': {
    type: 'object',
    additionalProperties: false,
    required: ['type', 'spec_version', 'id', 'created', 'definition_type', 'definition'],
    properties: {
      type: { const: 'marking-definition' },
      spec_version: { const: '2.1' },
      id: idOf('marking-definition'),
      created: time,
      name: text,
      definition_type: { const: 'tlp' },
      definition: { type: 'object', required: ['tlp'], properties: { tlp: { enum: ['white', 'green', 'amber', 'red'] } } },
    },
  },
};

export const stixBundleSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'id', 'objects'],
  properties: { type: { const: 'bundle' }, id: idOf('bundle'), objects: list({ type: 'object', required: ['type'] }) },
};
