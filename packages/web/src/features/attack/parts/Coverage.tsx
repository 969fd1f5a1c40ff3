/** Log sources that rules read, and their state: shows gaps in coverage and the sources to connect. */
import { styled } from '@mui/material/styles';
import type { attackApi } from '@parapet/contract/attack.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { Count } from '../../../kit/Count.tsx';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { VisibilityOffOutlined } from '../../../kit/icons/VisibilityOffOutlined.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths } from '../../../lib/paths.ts';
import { Note, ScrolledRows } from './attack.styles.tsx';

const State = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 6,
  whiteSpace: 'nowrap',
  '& svg': { fontSize: 16 },
});

interface Props {
  matrix: Pick<UseQueryResult<AnswerOf<typeof attackApi.matrix>>, 'data' | 'error' | 'refetch'>;
  client: number;
  timeZone: string;
}

export function Coverage({ matrix, client, timeZone }: Props) {
  const sources = matrix.data?.sources;
  return (
    <Panel title="Log source coverage">
      <Note>
        A log source is live when an online device sent events from it in the last 7 days. Rules without a live source can’t raise
        alerts. Connect missing sources under <AppLink href={paths.devices(client)}>Data Sources</AppLink>.
      </Note>
      <Loaded query={matrix} what="coverage" lines={18} isEmpty={sources?.length === 0} empty="No rules loaded.">
        <ScrolledRows tabIndex={0} role="group" aria-label="Log source coverage">
          <table>
            <thead>
              <tr>
                <th scope="col">Log source</th>
                <th scope="col" className="words">
                  State
                </th>
                <th scope="col">Rules</th>
                <th scope="col">Devices</th>
                <th scope="col">Last event</th>
                <th scope="col" className="words">
                  Connect by
                </th>
              </tr>
            </thead>
            <tbody>
              {sources?.map((source) => (
                <tr key={source.logSource}>
                  <th scope="row">
                    <VisibleText text={source.logSource} />
                  </th>
                  <td className="words">
                    <State>
                      {source.isLive ? <CheckCircleOutlineRounded aria-hidden /> : <VisibilityOffOutlined aria-hidden />}
                      {source.isLive ? 'Live' : 'Not live'}
                    </State>
                  </td>
                  <td>
                    <Count value={source.rules} />
                  </td>
                  <td>{source.devices > 0 ? <Count value={source.devices} /> : '–'}</td>
                  <td>{source.lastEventAt === null ? '–' : <RelativeTime at={source.lastEventAt} timeZone={timeZone} />}</td>
                  <td className="words">{source.isLive ? '–' : source.connectors.join(', ') || '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrolledRows>
      </Loaded>
    </Panel>
  );
}
