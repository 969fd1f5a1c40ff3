/** Declared device counts against the devices that report (spec §5). */
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import type { Totals } from '@parapet/contract/rules/risk.ts';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import type { Preview, RiskDetails, RiskDraft } from '../riskDraft.ts';
import { notReporting } from './Improvements.tsx';
import { Inside, Quiet, Rows, Scroll } from './risk.styles.tsx';

const kinds = [
  { type: 'server', name: 'Servers', total: 'totalServers', monitored: 'monitoredServers' },
  { type: 'workstation', name: 'Workstations', total: 'totalWorkstations', monitored: 'monitoredWorkstations' },
] as const satisfies { total: keyof Totals; [name: string]: string }[];

interface Props {
  client: number;
  devices: RiskDetails['monitoredDevices'];
  draft: RiskDraft;
  preview: Preview;
  canEdit: boolean;
  isSaving: boolean;
  onType: (typed: Partial<Record<keyof Totals, string>>) => void;
  onUndo: () => void;
  onSave: (totals: Totals) => void;
}

export function DeviceCoverage({ client, devices, draft, preview, canEdit, isSaving, onType, onUndo, onSave }: Props) {
  const errors = Object.values(preview.errors);
  const { totals } = preview;
  return (
    <Panel title="Device coverage">
      <Inside id="risk-devices">
        <form
          noValidate
          aria-label="Device coverage"
          onSubmit={(event) => {
            event.preventDefault();
            if (totals && errors.length === 0 && preview.areTotalsChanged) onSave(totals);
          }}
        >
          <Inside sx={{ p: 0 }}>
            <Scroll>
              <Rows>
                <thead>
                  <tr>
                    <th scope="col">Device</th>
                    <th scope="col" className="number">
                      Total
                    </th>
                    <th scope="col" className="number">
                      Monitored
                    </th>
                    <th scope="col" className="number">
                      Additional
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {kinds.map(({ type, name, total, monitored }) => {
                    const additional =
                      totals && preview.errors[total] === undefined ? totals[total] - devices[monitored] : undefined;
                    return (
                      <tr key={type}>
                        <th scope="row">{name}</th>
                        <td className="number">
                          {canEdit ? (
                            <TextField
                              size="small"
                              value={draft[total] ?? exact(devices[total])}
                              error={preview.errors[total] !== undefined}
                              onChange={(event) => onType({ [total]: event.target.value })}
                              slotProps={{
                                htmlInput: {
                                  'aria-label': `Total ${name.toLowerCase()}`,
                                  inputMode: 'numeric',
                                  maxLength: 12,
                                  autoComplete: 'off',
                                  style: { textAlign: 'right', padding: '4px 8px' },
                                },
                              }}
                              sx={{ width: 104 }}
                            />
                          ) : (
                            exact(devices[total])
                          )}
                        </td>
                        <td className="number">
                          <AppLink href={paths.devices(client, { type, state: ['reporting'] })}>
                            {exact(devices[monitored])}
                          </AppLink>
                        </td>
                        <td className="number">
                          {additional === undefined ? (
                            '–'
                          ) : (
                            <AppLink href={paths.devices(client, { type, state: notReporting })}>{exact(additional)}</AppLink>
                          )}
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </Rows>
            </Scroll>
            {errors.length > 0 && (
              <Note tone="warning" role="alert">
                {errors.join(' ')}
              </Note>
            )}
            <Quiet>
              A server counts as much as 10 workstations. Additional devices are not reporting yet.
              {!canEdit && ' Administrators and analysts of your partner can change the totals.'}
            </Quiet>
            {canEdit && (
              <div>
                <Button
                  type="submit"
                  size="small"
                  variant="contained"
                  loading={isSaving}
                  disabled={!preview.areTotalsChanged || errors.length > 0}
                >
                  Save device counts
                </Button>
                {preview.areTotalsChanged && (
                  <Button size="small" sx={{ ml: 1 }} onClick={onUndo} disabled={isSaving}>
                    Undo changes
                  </Button>
                )}
              </div>
            )}
          </Inside>
        </form>
      </Inside>
    </Panel>
  );
}
