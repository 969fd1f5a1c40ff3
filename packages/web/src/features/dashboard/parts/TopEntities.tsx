/** Rules, devices or users with the most alerts, against the previous period. */
import type { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { Panel } from '../../../kit/Panel.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { oneIn, useSearchState } from '../../../lib/address.ts';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths, type Query } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { Choices } from './dashboard.styles.tsx';
import { TopBars } from './TopBars.tsx';

type Overview = AnswerOf<typeof dashboardApi.overview>;

const kinds = ['rules', 'devices', 'users'] as const;
const kindLabels = { rules: 'Rules', devices: 'Devices', users: 'Users' };
const parts = { rules: 'topRules', devices: 'topDevices', users: 'topUsers' } as const;
const filters = { rules: 'rule', devices: 'device', users: 'user' };

interface Props {
  scope: Scope;
  overview: Pick<UseQueryResult<Overview>, 'data' | 'error' | 'refetch'>;
  hrefOf: (query: Query) => string;
}

export function TopEntities({ scope, overview, hrefOf }: Props) {
  const { search } = useSearchState();
  const kind = oneIn(search.top, kinds, 'rules');
  const tops = overview.data?.[parts[kind]];
  return (
    <Panel
      title="Most alerts"
      end={
        <Choices aria-label="Most alerts by">
          {kinds.map((each) => (
            <AppLink
              key={each}
              href={paths.dashboard(scope.client, { ...search, top: each === 'rules' ? undefined : each })}
              aria-current={each === kind ? 'true' : undefined}
            >
              {kindLabels[each]}
            </AppLink>
          ))}
        </Choices>
      }
    >
      <Loaded
        query={overview}
        what={`top ${kind}`}
        lines={7}
        isEmpty={tops?.length === 0}
        empty={`No ${kind} with alerts in this timeframe.`}
      >
        <TopBars tops={tops ?? []} hrefOf={(key) => hrefOf({ [filters[kind]]: key })} />
      </Loaded>
    </Panel>
  );
}
