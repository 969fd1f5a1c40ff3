/** Windows events in the forms of other tools than Winlogbeat: rules find the same in each, on the same machine at the same time. */
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { describe, expect, it } from 'vitest';
import { formNames, inForm, withMessageAlone } from './testing/forms.ts';
import { compiled, type Document, setTime, startedAt } from './testing/pairs.ts';
import { documentsOfRecording, recordings } from './testing/recordings.ts';
import { documentOf } from './testing/shapes.ts';

const { matcher } = compiled();

function findsOf(document: Document) {
  const { document: normal, deviceName, claimedAt } = normalise(structuredClone(document), startedAt);
  const rules = matcher.match(normal).map(({ file }) => file);
  return { rules: rules.sort(), deviceName, claimedAt };
}

/** An event of the recordings for each set of rules that match one, by kind. */
const samples: { document: Document; finds: ReturnType<typeof findsOf> }[] = [];
const seen = new Set<string>();
for (const [, recording] of recordings())
  for (const document of documentsOfRecording(recording)) {
    const winlog = document.winlog as Document | undefined;
    if (winlog === undefined) continue;
    const finds = findsOf(document);
    const kind = `${winlog.provider_name} ${winlog.event_id} ${finds.rules}`;
    if (finds.rules.length === 0 || seen.has(kind)) continue;
    seen.add(kind);
    samples.push({ document, finds });
  }

/**
 * Events that a form cannot carry whole: Fluent Bit, Fluentd and Get-WinEvent write values without names, and names by position are known for the
 * usual events only; Wazuh loses the case of a name's first letter, and a flat event in a text its names with a small one, which may be the shipper's.
 */
const exempt: Readonly<Record<string, RegExp>> = {
  'Fluent Bit': /LDAP-Client|PrintService|Windows Defender$/,
  Fluentd: /LDAP-Client|PrintService|Windows Defender$/,
  'Get-WinEvent': /LDAP-Client|PrintService|Windows Defender$/,
  Wazuh: /Bits-Client/,
  'NXLog’s JSON through Vector': /Bits-Client|^PowerShell$/,
};

const providerOf = (document: Document): string => String((document.winlog as Document).provider_name);

describe('an event of Windows', () => {
  it('covers the logs', () => {
    expect(samples.length).toBeGreaterThan(400);
    expect(new Set(samples.map(({ document }) => providerOf(document))).size).toBeGreaterThan(10);
  });

  it.each(formNames)('is found as %s', (form) => {
    const lost = samples
      .filter(({ document }) => !exempt[form]?.test(providerOf(document)))
      .map(({ document, finds }) => ({ is: findsOf(inForm(form, document)), was: finds, document }))
      .filter(({ is, was }) => JSON.stringify(is) !== JSON.stringify(was))
      .map(({ is, was, document }) => ({ is, was, event: `${providerOf(document)} ${(document.winlog as Document).event_id}` }));
    expect(lost).toEqual([]);
  });
});

describe('an event of which only the message arrives', () => {
  const of = (shape: string, message: string, rule: string) => [shape, message, rule] as const;

  it.each([
    of(
      'wmi-5861',
      'Namespace = //./root/subscription; Eventfilter = Updater (refer to its activate eventid:5859); Consumer = CommandLineEventConsumer="Updater"; PossibleCause = Binding EventFilter: \ninstance of __EventFilter\n{\n\tQuery = "SELECT * FROM __InstanceModificationEvent WITHIN 60";\n};\nPerm. Consumer: \ninstance of CommandLineEventConsumer\n{\n\tCommandLineTemplate = "powershell.exe -nop -w hidden -enc SQBFAFgA";\n};',
      'windows/wmi-permanent-subscription.yml',
    ),
    of(
      'powershell-400',
      'Engine state is changed from None to Available. \n\nDetails: \n\tNewEngineState=Available\n\tPreviousEngineState=None\n\n\tSequenceNumber=13\n\n\tHostName=ConsoleHost\n\tHostVersion=2.0\n\tHostId=aa\n\tHostApplication=powershell -version 2\n\tEngineVersion=2.0\n\tRunspaceId=bb',
      'windows/powershell-old-engine-or-foreign-host.yml',
    ),
  ])('is found: %s', (shape, message, rule) => {
    const document = { ...documentOf(shape), message };
    setTime(document, startedAt);
    expect(findsOf(withMessageAlone(document)).rules).toContain(rule);
  });

  it('names the client of a remote desktop session', () => {
    const message =
      'Remote Desktop Services: Session logon succeeded:\n\nUser: ALDER\\j.reid\nSession ID: 2\nSource Network Address: 203.0.113.9';
    const { document, userName } = normalise(withMessageAlone({ ...documentOf('rdp-session-21'), message }), startedAt);
    expect({ userName, source: document.source }).toEqual({ userName: 'ALDER\\j.reid', source: { ip: '203.0.113.9' } });
  });
});
