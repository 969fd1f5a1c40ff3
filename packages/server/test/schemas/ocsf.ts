/**
 * JSON Schemas of the OCSF events that targets receive, written from the definitions of OCSF 1.8.0 (github.com/ocsf/ocsf-schema: dictionary.json,
 * events/base_event.json, events/findings/*, objects/metadata.json, product.json, finding_info.json, group.json, vulnerability.json, cve.json, affected_package.json,
 * resource_details.json): required attributes, enumerations
 * with their captions, and the attributes in use. Nothing else is allowed, so that a new attribute is looked up first.
 */
const text = { type: 'string', minLength: 1 };
const time = { type: 'integer', minimum: 1_000_000_000_000 };

/** Attribute pair of an id and its caption, which must agree. */
const captioned = (id: string, name: string, captions: Record<number, string>) =>
  Object.entries(captions).map(([value, caption]) => ({
    if: { required: [id], properties: { [id]: { const: Number(value) } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { [name]: { const: caption } } },
  }));
const enumOf = (captions: Record<number, string>) => ({ enum: Object.keys(captions).map(Number) });

const severities = { 0: 'Unknown', 1: 'Informational', 2: 'Low', 3: 'Medium', 4: 'High', 5: 'Critical', 6: 'Fatal' };
const incidentStatuses = { 0: 'Unknown', 1: 'New', 2: 'In Progress', 3: 'On Hold', 4: 'Resolved', 5: 'Closed' };
const findingStatuses = { 0: 'Unknown', 1: 'New', 2: 'In Progress', 3: 'Suppressed', 4: 'Resolved' };
const activities = { 0: 'Unknown', 1: 'Create', 2: 'Update', 3: 'Close' };
const confidences = { 0: 'Unknown', 1: 'Low', 2: 'Medium', 3: 'High' };
const verdicts = {
  0: 'Unknown',
  1: 'False Positive',
  2: 'True Positive',
  3: 'Disregard',
  4: 'Suspicious',
  5: 'Benign',
  6: 'Test',
  7: 'Insufficient Data',
  8: 'Security Risk',
  9: 'Managed Externally',
  10: 'Duplicate',
};

const findingInfo = {
  type: 'object',
  additionalProperties: false,
  required: ['uid'],
  properties: { uid: text, title: text, src_url: text, created_time: time, modified_time: time },
};
const technique = { type: 'object', additionalProperties: false, required: ['uid'], properties: { uid: text, name: text } };
/** The rule that found it; type 1 is Rule. */
const detectionInfo = {
  ...findingInfo,
  properties: {
    ...findingInfo.properties,
    first_seen_time: time,
    analytic: {
      type: 'object',
      additionalProperties: false,
      required: ['type_id'],
      properties: { type_id: { const: 1 }, type: { const: 'Rule' }, name: text },
    },
    attacks: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        minProperties: 1,
        properties: { technique, sub_technique: technique },
      },
    },
  },
};
const resources = {
  type: 'array',
  minItems: 1,
  items: { type: 'object', additionalProperties: false, properties: { uid: text, name: text, type: text } },
};
/** At least one of cve and cwe. */
const vulnerability = {
  type: 'object',
  additionalProperties: false,
  required: ['cve'],
  properties: {
    cve: { type: 'object', additionalProperties: false, required: ['uid'], properties: { uid: text } },
    title: text,
    severity: text,
    is_exploit_available: { type: 'boolean' },
    is_fix_available: { type: 'boolean' },
    affected_packages: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'version'],
        properties: { name: text, version: text, fixed_in_version: text },
      },
    },
  },
};
const metadata = {
  type: 'object',
  additionalProperties: false,
  required: ['version', 'product'],
  properties: {
    version: { const: '1.8.0' },
    profiles: { type: 'array', items: { enum: ['incident'] } },
    product: { type: 'object', additionalProperties: false, required: ['name'], properties: { name: text, vendor_name: text } },
    uid: text,
    event_code: text,
    tenant_uid: text,
    original_time: text,
  },
};

interface ClassSchema {
  category: number;
  uid: number;
  name: string;
  activities: number[];
  required?: string[];
  properties?: object;
  rules?: object[];
}

const event = ({ category, uid, name, activities: allowed, required = [], properties = {}, rules = [] }: ClassSchema) => ({
  type: 'object',
  additionalProperties: false,
  required: ['activity_id', 'category_uid', 'class_uid', 'type_uid', 'time', 'severity_id', 'metadata', ...required],
  properties: {
    category_uid: { const: category },
    category_name: { const: category === 0 ? 'Uncategorized' : 'Findings' },
    class_uid: { const: uid },
    class_name: { const: name },
    activity_id: { enum: allowed },
    activity_name: text,
    type_uid: { enum: allowed.map((activity) => uid * 100 + activity) },
    type_name: text,
    time,
    severity_id: enumOf(severities),
    severity: text,
    message: text,
    metadata,
    unmapped: { type: 'object' },
    ...properties,
  },
  allOf: [
    ...captioned('severity_id', 'severity', severities),
    ...allowed.map((activity) => ({
      if: { properties: { activity_id: { const: activity } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { type_uid: { const: uid * 100 + activity } } },
    })),
    ...rules,
  ],
});

export const ocsfSchemas: Record<number, object> = {
  0: event({ category: 0, uid: 0, name: 'Base Event', activities: [0, 99] }),
  2002: event({
    category: 2,
    uid: 2002,
    name: 'Vulnerability Finding',
    activities: [0, 1, 2, 3],
    required: ['finding_info', 'vulnerabilities'],
    properties: {
      finding_info: findingInfo,
      status_id: enumOf(findingStatuses),
      status: text,
      resources,
      vulnerabilities: { type: 'array', minItems: 1, items: vulnerability },
    },
    rules: [...captioned('activity_id', 'activity_name', activities), ...captioned('status_id', 'status', findingStatuses)],
  }),
  2004: event({
    category: 2,
    uid: 2004,
    name: 'Detection Finding',
    activities: [0, 1, 2, 3],
    required: ['finding_info'],
    properties: {
      finding_info: detectionInfo,
      is_alert: { type: 'boolean' },
      status_id: enumOf(findingStatuses),
      status: text,
      resources,
      evidences: {
        type: 'array',
        minItems: 1,
        items: { type: 'object', additionalProperties: false, required: ['data'], properties: { data: { type: 'object' } } },
      },
    },
    rules: [...captioned('activity_id', 'activity_name', activities), ...captioned('status_id', 'status', findingStatuses)],
  }),
  2005: event({
    category: 2,
    uid: 2005,
    name: 'Incident Finding',
    activities: [0, 1, 2, 3],
    required: ['finding_info_list', 'status_id'],
    properties: {
      finding_info_list: { type: 'array', minItems: 1, items: findingInfo },
      status_id: enumOf(incidentStatuses),
      status: text,
      desc: text,
      src_url: text,
      assignee_group: { type: 'object', additionalProperties: false, required: ['name'], properties: { name: text } },
      verdict_id: enumOf(verdicts),
      verdict: text,
      confidence_id: enumOf(confidences),
      confidence: text,
      confidence_score: { type: 'integer', minimum: 0, maximum: 100 },
    },
    rules: [
      { anyOf: [{ required: ['assignee'] }, { required: ['assignee_group'] }] },
      ...captioned('activity_id', 'activity_name', activities),
      ...captioned('status_id', 'status', incidentStatuses),
      ...captioned('verdict_id', 'verdict', verdicts),
      ...captioned('confidence_id', 'confidence', confidences),
    ],
  }),
};
