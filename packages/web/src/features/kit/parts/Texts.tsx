/** Severities, times, numbers, texts from outside. */
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Count } from '../../../kit/Count.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityChip, SeverityLabel, severityNames } from '../../../kit/Severity.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { hostile } from './hostile.ts';
import { States } from './States.tsx';

const column = { display: 'grid', gap: 8, justifyItems: 'start', overflowWrap: 'anywhere' } as const;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

export function Texts() {
  return (
    <States
      least={240}
      of={{
        Severities: (
          <div style={column}>
            {severityNames.map((severity) => (
              <SeverityChip key={severity} severity={severity} />
            ))}
            {severityNames.map((severity) => (
              <SeverityLabel key={severity} severity={severity} />
            ))}
          </div>
        ),
        Times: (
          <div style={column}>
            {[0, 5, 90, 60 * 24, 60 * 24 * 40, -30].map((minutes) => (
              <RelativeTime key={minutes} at={minutesAgo(minutes)} timeZone="UTC" />
            ))}
            <AbsoluteTime at={minutesAgo(0)} timeZone="UTC" />
          </div>
        ),
        Numbers: (
          <div style={column}>
            {[0, 999, 1000, 12_345, 6_543_210, 7_000_000_000, 8e12].map((value) => (
              <Count key={value} value={value} />
            ))}
          </div>
        ),
        'Texts from outside': (
          <div style={column}>
            {hostile.map((text) => (
              <span key={text}>
                <VisibleText text={text} />
              </span>
            ))}
          </div>
        ),
        'Hashes, addresses, commands': (
          <div style={column}>
            <Mono text="d41d8cd98f00b204e9800998ecf8427e" copyLabel="Copy the hash" />
            <span>
              Copy <CopyButton text="copied" label="Copy the word" />
            </span>
          </div>
        ),
      }}
    />
  );
}
