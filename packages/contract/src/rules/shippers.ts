/** Output configuration of shippers, shared by downloaded files, new keys and the README. */

/** Adds the default port to an origin: rsyslog and Beats take the port from the URL only. */
export function withPort(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

export const beatOutput = (origin: string, key: string): string[] => [
  'output.elasticsearch:',
  `  hosts: ["${withPort(origin)}"]`,
  '  path: /ingest',
  '  username: beats',
  `  password: ${key}`,
];

/** Parameters of rsyslog's `action`, except for the queue. */
const rsyslogTarget = (origin: string, key: string): string[] => [
  `action(type="omelasticsearch" server="${withPort(origin)}/ingest" searchIndex="syslog" searchType="" bulkmode="on" writeoperation="create"`,
  `  bulkid="id" dynbulkid="on" uid="rsyslog" pwd="${key}" template="event" action.resumeretrycount="-1"`,
];

/** Builds the rsyslog output. `more`: further lines of the event; `options`: further parameters of the action. */
export function rsyslogOutput(
  origin: string,
  key: string,
  { more = [], options = [] }: { more?: readonly string[]; options?: readonly string[] } = {},
): { templates: string[]; action: string[] } {
  const action = [...rsyslogTarget(origin, key), ...options.map((option) => `  ${option}`)];
  return {
    templates: [
      'template(name="id" type="string" string="%uuid%")',
      'template(name="event" type="list" option.jsonf="on") {',
      '  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")',
      '  property(outname="host" name="hostname" format="jsonf")',
      '  property(outname="severity" name="syslogseverity-text" format="jsonf")',
      '  property(outname="facility" name="syslogfacility-text" format="jsonf")',
      '  property(outname="programname" name="programname" format="jsonf")',
      '  property(outname="procid" name="procid" format="jsonf")',
      '  property(outname="message" name="msg" format="jsonf")',
      ...more.map((line) => `  ${line}`),
      '}',
    ],
    action: [...action.slice(0, -1), `${action.at(-1)})`],
  };
}
