/** Files of a case: report, data, and a STIX bundle under a mark of the Traffic Light Protocol. */
import Button from '@mui/material/Button';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { type Tlp, tlpLabel, tlpReaders, tlps } from '@parapet/contract/rules/stix.ts';
import { useState } from 'react';
import { ArrowDropDownRounded } from '../../../kit/icons/ArrowDropDownRounded.tsx';
import { download } from '../../../lib/download.ts';
import { toast } from '../../../lib/toast.ts';

const Row = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 });

type Kind = 'json' | 'pdf' | 'stix' | 'client' | 'all';

export function CaseExport({ detail, onPrint }: { detail: CaseDetail; onPrint: () => void }) {
  const { caseGeneralInfo: info } = detail;
  const [saving, setSaving] = useState<Kind>();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const save = async (kind: Kind, tlp: Tlp = 'amber') => {
    setAnchor(undefined);
    setSaving(kind);
    const params = { caseId: info.id };
    const file = `case-${info.incidentID}`;
    try {
      if (kind === 'stix') await download(casesApi.exportStix, { params, query: { tlp } }, `${file}.stix.json`);
      else if (kind === 'client' || kind === 'all')
        await download(
          casesApi.exportArchive,
          { params, query: { contents: kind } },
          `${file}${kind === 'all' ? '-internal' : ''}.zip`,
        );
      else await download(kind === 'json' ? casesApi.exportJson : casesApi.exportPdf, { params }, `${file}.${kind}`);
      toast.success(`Case ${info.incidentID} exported`, 'case');
    } catch (error) {
      toast.error(`Couldn’t export case ${info.incidentID}. ${error instanceof Error ? error.message : ''}`, 'case');
    }
    setSaving(undefined);
  };
  return (
    <Row>
      <Button size="small" variant="outlined" loading={saving === 'pdf'} onClick={() => void save('pdf')}>
        PDF
      </Button>
      <Button size="small" variant="outlined" loading={saving === 'json'} onClick={() => void save('json')}>
        JSON
      </Button>
      <Button
        size="small"
        variant="outlined"
        loading={saving === 'stix'}
        endIcon={<ArrowDropDownRounded />}
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        STIX 2.1
      </Button>
      <Button size="small" variant="outlined" loading={saving === 'client'} onClick={() => void save('client')}>
        Signed archive
      </Button>
      {detail.can.seeInternals && (
        <Button size="small" variant="outlined" loading={saving === 'all'} onClick={() => void save('all')}>
          Archive with internal notes
        </Button>
      )}
      <Button size="small" variant="outlined" onClick={onPrint}>
        Print
      </Button>
      {anchor && (
        <Menu open anchorEl={anchor} onClose={() => setAnchor(undefined)}>
          {tlps.map((tlp) => (
            <MenuItem key={tlp} onClick={() => void save('stix', tlp)}>
              <ListItemText primary={tlpLabel(tlp)} secondary={tlpReaders[tlp]} />
            </MenuItem>
          ))}
        </Menu>
      )}
    </Row>
  );
}
