/** How shippers are told a new key: ready to paste. The same as in the README. */

export interface Snippet {
  name: string;
  text: string;
}

export function snippetsOf(key: string, origin: string): Snippet[] {
  const { protocol, hostname, port } = new URL(origin);
  // rsyslog takes the port from the address only.
  const withPort = `${protocol}//${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  return [
    {
      name: 'Beats',
      text: [
        'output.elasticsearch:',
        `  hosts: ["${withPort}"]`,
        '  path: /ingest',
        '  username: beats',
        `  password: ${key}`,
      ].join('\n'),
    },
    {
      name: 'rsyslog',
      text: [
        'module(load="omelasticsearch")',
        'template(name="id" type="string" string="%uuid%")',
        'template(name="event" type="list" option.jsonf="on") {',
        '  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")',
        '  property(outname="host" name="hostname" format="jsonf")',
        '  property(outname="programname" name="programname" format="jsonf")',
        '  property(outname="message" name="msg" format="jsonf")',
        '}',
        `action(type="omelasticsearch" server="${withPort}/ingest" searchIndex="syslog" searchType="" bulkmode="on" writeoperation="create"`,
        `  bulkid="id" dynbulkid="on" uid="rsyslog" pwd="${key}" template="event" action.resumeretrycount="-1")`,
      ].join('\n'),
    },
    {
      name: 'curl',
      text: `curl -H "Authorization: ApiKey ${key}" -H "Content-Type: application/x-ndjson" --data-binary @events.ndjson ${origin}/ingest/_bulk`,
    },
  ];
}
