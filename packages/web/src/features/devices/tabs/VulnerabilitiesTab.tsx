/** Open vulnerability findings of a device, most urgent first, and the upload of scan results. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { UploadFileRounded } from '../../../kit/icons/UploadFileRounded.tsx';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { FindingLines } from '../../vulnerabilities/parts/FindingLines.tsx';
import { UploadScan } from '../../vulnerabilities/parts/UploadScan.tsx';
import { firstFindingsQuery } from '../../vulnerabilities/vulnerabilities.queries.ts';
import type { TabProps } from './tabProps.ts';

const shown = 50;

export function VulnerabilitiesTab({ device }: TabProps) {
  const { may } = useScope();
  const [isUploading, setUploading] = useState(false);
  const findings = useQuery(firstFindingsQuery(device.clientOrganizationID, shown, device.uuid));
  const all = paths.vulnerability({ client: device.clientOrganizationID, tab: 'findings', device: device.uuid });
  return (
    <Panel
      title="Open findings"
      end={
        <>
          {may('risk:write') && (
            <Button size="small" startIcon={<UploadFileRounded />} onClick={() => setUploading(true)}>
              Upload scan
            </Button>
          )}
          <AppLink href={all} style={{ color: 'inherit' }}>
            {findings.data ? `All ${exact(findings.data.total)} findings` : 'All findings'}
          </AppLink>
        </>
      }
    >
      <Loaded
        query={findings}
        what="findings"
        lines={8}
        isEmpty={findings.data?.results.length === 0}
        empty={device.inventory === null ? 'No software inventory yet.' : 'No known vulnerabilities in the installed software.'}
        next={
          device.inventory === null &&
          'The Linux agent collects an inventory automatically; for other systems a scanner’s result can be uploaded.'
        }
      >
        <FindingLines findings={findings.data?.results ?? []} hasClients={false} hasDevices={false} />
      </Loaded>
      {isUploading && <UploadScan client={device.clientOrganizationID} device={device} onClose={() => setUploading(false)} />}
    </Panel>
  );
}
