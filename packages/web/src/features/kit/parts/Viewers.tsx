/** Viewers of an event, of code and of a timeline. */
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { JsonViewer } from '../../../kit/JsonViewer.tsx';
import { SeverityIcon } from '../../../kit/Severity.tsx';
import { Timeline } from '../../../kit/Timeline.tsx';
import { hostile } from './hostile.ts';
import { States } from './States.tsx';

const event = {
  '@timestamp': '2026-11-21T06:10:59Z',
  process: { command_line: 'powershell -enc SQBFAFgA', pid: 4321, parent: { name: 'winword.exe' } },
  tags: ['sigma', null, true, 1.5],
  hostile,
  long: 'x'.repeat(5000),
  empty: {},
};
const rule = `title: Password guessed over ssh
status: stable
logsource:
  product: linux
  service: sshd
detection:
  selection:
    event.outcome: success
\ttabbed: yes
  hidden: "\u202E"
  condition: selection
level: high`;

export function Viewers() {
  return (
    <States
      least={420}
      of={{
        'An event': <JsonViewer document={event} label="Event" maxHeight={320} />,
        Code: <CodeViewer text={rule} label="Rule" maxHeight={320} />,
        'Long code': (
          <CodeViewer text={Array.from({ length: 3000 }, (_, at) => `line ${at + 1}`).join('\n')} label="Log" maxHeight={200} />
        ),
        'A timeline': (
          <Timeline
            timeZone="UTC"
            moments={[
              { key: 'a', at: '2026-11-21T06:00:00Z', title: 'Password guessed', icon: <SeverityIcon severity="high" /> },
              { key: 'b', at: '2026-11-21T06:04:00Z', title: hostile[0], text: 'A text of its own beneath it.' },
              { key: 'c', at: '2026-11-21T06:10:59Z', title: 'The host was isolated' },
            ]}
          />
        ),
        Facts: (
          <DefinitionList
            facts={[
              { name: 'Device', value: 'web-01' },
              { name: 'A long one', value: hostile[0] },
              { name: 'Nothing', value: '–' },
            ]}
          />
        ),
      }}
    />
  );
}
