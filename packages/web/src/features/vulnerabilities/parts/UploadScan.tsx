/** Uploads a scan result for a device and summarises the imported findings and skipped entries. */
import Autocomplete from '@mui/material/Autocomplete';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { allClients } from '@parapet/contract/access.ts';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { Skipped } from '../../../kit/Skipped.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { devicesQuery } from '../../../lib/devicesQuery.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { usePaused } from '../../../lib/usePaused.ts';
import { sourceLabel } from '../findings.ts';
import { useUploadScan } from '../vulnerabilities.queries.ts';

/** Device that a scan belongs to. */
export interface ScanTarget {
  uuid: string;
  name: string;
  clientOrganizationID: number;
  clientOrganizationName: string;
}

interface Props {
  client: number;
  /** Preselected device. */
  device?: ScanTarget;
  onClose: () => void;
}

export function UploadScan({ client, device, onClose }: Props) {
  const [target, setTarget] = useState<ScanTarget | null>(device ?? null);
  const [file, setFile] = useState<File>();
  const upload = useUploadScan();
  const result = upload.data;
  const missing = target === null ? 'Select a device' : file === undefined ? 'Select a file' : undefined;
  const send = () => {
    if (!target || !file) return;
    upload.mutate({ client: target.clientOrganizationID, device: target.uuid, file }, { onSuccess: () => setFile(undefined) });
  };
  return (
    <Modal
      title="Upload scan"
      onClose={upload.isPending ? undefined : onClose}
      sx={{ display: 'grid', gap: 2, pt: '8px !important', '& > *': { minWidth: 0 } }}
      actions={
        <>
          <Button onClick={onClose} disabled={upload.isPending}>
            {result ? 'Close' : 'Cancel'}
          </Button>
          <span title={missing}>
            <Button variant="contained" disabled={missing !== undefined} loading={upload.isPending} onClick={send}>
              Upload
            </Button>
          </span>
        </>
      }
    >
      <span style={{ fontSize: 14 }}>
        Trivy result or CycloneDX package list in JSON format. Replaces the previous result of the same scanner for this device.
      </span>
      {device ? (
        <span style={{ overflowWrap: 'anywhere' }}>
          For <VisibleText text={device.name} />
        </span>
      ) : (
        <DeviceChoice client={client} value={target} onChange={setTarget} />
      )}
      <FilePicker
        file={file}
        types={['.json', 'application/json']}
        maxBytes={vulnerabilitiesApi.uploadScan.upload?.maxBytes ?? 0}
        onFile={(next) => {
          upload.reset();
          setFile(next);
        }}
        isBusy={upload.isPending}
      />
      {result && target && (
        <Note tone={result.skipped.length > 0 ? 'warning' : 'info'} role="alert">
          {sourceLabel(result.tool)}: {counted(result.packages, 'package')},{' '}
          <AppLink
            href={paths.vulnerability({ client: target.clientOrganizationID, tab: 'findings', device: target.uuid })}
            onClick={onClose}
          >
            {counted(result.findings, 'finding')}
          </AppLink>
          , {result.added} new, {result.fixed} fixed.
          <Skipped faults={result.skipped} count={result.skipped.length} />
        </Note>
      )}
    </Modal>
  );
}

interface ChoiceProps {
  client: number;
  value: ScanTarget | null;
  onChange: (device: ScanTarget | null) => void;
}

function DeviceChoice({ client, value, onChange }: ChoiceProps) {
  const { timeZone } = useScope();
  const [text, setText] = useState('');
  const found = useQuery(devicesQuery(client, usePaused(text.trim()), timeZone));
  return (
    <Autocomplete<ScanTarget>
      size="small"
      options={found.data?.results ?? []}
      filterOptions={(options) => options}
      value={value}
      inputValue={text}
      onInputChange={(_, next) => setText(next.slice(0, 200))}
      onChange={(_, next) => onChange(next)}
      isOptionEqualToValue={(a, b) => a.uuid === b.uuid}
      getOptionLabel={(device) => device.name}
      getOptionKey={(device) => device.uuid}
      loading={found.isFetching}
      noOptionsText="No matching devices"
      renderOption={({ key: _, ...props }, device) => (
        <li {...props} key={device.uuid}>
          <VisibleText text={client === allClients ? `${device.name} · ${device.clientOrganizationName}` : device.name} />
        </li>
      )}
      renderInput={(params) => <TextField {...params} label="Device" helperText="Search by name." autoFocus />}
    />
  );
}
