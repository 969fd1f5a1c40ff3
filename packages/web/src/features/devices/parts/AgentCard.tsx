/** Agent of a device, as reported at its last check-in. */
import type { DeviceDetail } from '@parapet/contract/devices.ts';
import { bytesText } from '../../../kit/bytes.ts';
import { Card } from '../../../kit/Card.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { SourceState } from './SourceState.tsx';

export function AgentCard({ agent, timeZone }: { agent: NonNullable<DeviceDetail['agent']>; timeZone: string }) {
  return (
    <Card title="Agent">
      <DefinitionList
        facts={[
          { name: 'State', value: <SourceState state={agent.state} /> },
          { name: 'Version', value: <VisibleText text={`${agent.version}, ${agent.platform}`} /> },
          {
            name: 'Last check-in',
            value: agent.lastCheckInAt ? <RelativeTime at={agent.lastCheckInAt} timeZone={timeZone} /> : 'None yet',
          },
          { name: 'Enrolled', value: <AbsoluteTime at={agent.enrolledAt} timeZone={timeZone} /> },
          {
            name: 'Network',
            value: agent.isIsolated ? (
              <>
                Isolated
                {agent.releaseAt && (
                  <>
                    , until <AbsoluteTime at={agent.releaseAt} timeZone={timeZone} /> at most
                  </>
                )}
              </>
            ) : (
              'Open'
            ),
          },
          {
            name: 'Locked accounts',
            value: agent.blockedUsers.length > 0 && <VisibleText text={agent.blockedUsers.join(', ')} />,
          },
          {
            name: 'Disk buffer',
            value: agent.isBufferFull ? `${bytesText(agent.bufferBytes)}, full` : bytesText(agent.bufferBytes),
          },
          {
            name: 'Recent errors',
            isWide: true,
            value: agent.errors.length > 0 && (
              <ul style={{ margin: 0, paddingLeft: 18 }}>
                {[...new Set(agent.errors)].map((error) => (
                  <li key={error}>
                    <VisibleText text={error} />
                  </li>
                ))}
              </ul>
            ),
          },
        ].map((fact) => ({ ...fact, value: fact.value === false ? null : fact.value }))}
      />
    </Card>
  );
}
