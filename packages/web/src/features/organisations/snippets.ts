/** Shipper configurations for an ingest key, ready to paste. */
import { beatOutput, rsyslogOutput, withPort } from '@parapet/contract/rules/shippers.ts';

export interface Snippet {
  name: string;
  text: string;
}

export function snippetsOf(key: string, origin: string): Snippet[] {
  const { templates, action } = rsyslogOutput(origin, key);
  return [
    { name: 'Beats', text: beatOutput(origin, key).join('\n') },
    { name: 'rsyslog', text: ['module(load="omelasticsearch")', ...templates, ...action].join('\n') },
    {
      name: 'curl',
      text: `curl -H "Authorization: ApiKey ${key}" -H "Content-Type: application/x-ndjson" --data-binary @events.ndjson ${origin}/ingest/_bulk`,
    },
    {
      name: 'Splunk HEC',
      text: [
        `URL: ${withPort(origin)}/services/collector/event`,
        `Token: ${key}`,
        'Indexer acknowledgement: off',
        '',
        `curl -H "Authorization: Splunk ${key}" -d '{"event":"Hello","host":"web01","sourcetype":"syslog"}' ${origin}/services/collector/event`,
      ].join('\n'),
    },
    {
      name: 'OpenTelemetry',
      text: [
        'exporters:',
        '  otlphttp:',
        `    logs_endpoint: ${origin}/v1/logs`,
        '    headers:',
        `      Authorization: Bearer ${key}`,
      ].join('\n'),
    },
  ];
}
