/** NIST SP 800-53 controls by the alerts of the techniques that they answer. */
import { useQuery } from '@tanstack/react-query';
import { Count } from '../../../kit/Count.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import type { Query } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { controlsQuery } from '../attack.queries.ts';
import { Note, Rows } from './attack.styles.tsx';

const shownTechniques = 4;

export function Controls({ scope, door }: { scope: Scope; door: (query: Query) => string }) {
  const controls = useQuery(controlsQuery(scope));
  const rows = controls.data?.results;
  return (
    <Panel title="NIST SP 800-53 controls">
      <Note>
        Which controls answer what was attempted: the first rows are where a better control would have met the most alerts.
      </Note>
      <Loaded
        query={controls}
        what="controls"
        lines={18}
        isEmpty={rows?.length === 0}
        empty="No alert of this timeframe has a technique that a control answers."
      >
        <Rows tabIndex={0} role="group" aria-label="NIST SP 800-53 controls">
          <table>
            <thead>
              <tr>
                <th scope="col">Control</th>
                <th scope="col" className="words">
                  Techniques
                </th>
                <th scope="col">Alerts</th>
              </tr>
            </thead>
            <tbody>
              {rows?.map((row) => (
                <tr key={row.nistControlID}>
                  <th scope="row">
                    {row.nistControlID} {row.nistControlName}
                  </th>
                  <td className="words">
                    {row.techniques.slice(0, shownTechniques).map(({ id, name, count }) => (
                      <span key={id}>
                        <AppLink href={door({ technique: id })}>
                          {id} {name}
                        </AppLink>{' '}
                        (<Count value={count} />)
                      </span>
                    ))}
                    {row.techniques.length > shownTechniques && <span>and {row.techniques.length - shownTechniques} more</span>}
                  </td>
                  <td>
                    {/* At most as many as a list can be filtered by. */}
                    {row.techniques.length <= 50 ? (
                      <AppLink href={door({ technique: row.techniques.map(({ id }) => id) })}>
                        <Count value={row.count} />
                      </AppLink>
                    ) : (
                      <Count value={row.count} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Rows>
      </Loaded>
    </Panel>
  );
}
