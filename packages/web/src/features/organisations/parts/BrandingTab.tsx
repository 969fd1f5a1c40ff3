/** A partner’s brand: names, addresses, colours, emails and logos. Its clients see it everywhere. */
import { styled } from '@mui/material/styles';
import { type Branding, type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import type { ReactNode } from 'react';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { faultIn } from '../accents.ts';
import { AccentInput } from './AccentInput.tsx';
import { Domains } from './Domains.tsx';
import { Logos } from './Logos.tsx';
import { PartForm, refusalOf } from './PartForm.tsx';

const Column = styled('div')({ display: 'grid', gap: 28 });
const Part = styled('section')({ display: 'grid', gap: 12, '& > h3': { margin: 0, fontSize: 14, fontWeight: 600 } });

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <Part>
    <h3>{title}</h3>
    {children}
  </Part>
);

export function BrandingTab({ details, branding }: { details: ClientDetails; branding: Branding }) {
  return (
    <Column>
      <Section title="Logos">
        <Logos details={details} refusal={refusalOf(details)} />
      </Section>
      <Section title="Domains">
        <Domains details={details} />
      </Section>
      <PartForm<Branding>
        details={details}
        endpoint={organisationsApi.updateBranding}
        label="Branding"
        valuesOf={(now) => now.branding ?? branding}
        further={({ accentLight, accentDark }) => ({
          accentLight: faultIn(accentLight, 'light'),
          accentDark: faultIn(accentDark, 'dark'),
        })}
      >
        <Section title="Name and address">
          <Fields>
            <TextInput name="partnerName" label="Brand name" isRequired maxLength={200} />
            <TextInput name="title" label="Browser tab title" hint="Default: brand name." maxLength={200} />
            <TextInput
              name="subDomain"
              label="Sub-domain"
              isRequired
              maxLength={63}
              hint="First label of the brand’s host name."
            />
            <TextInput
              name="selfHostedDomain"
              label="Own domain"
              maxLength={253}
              hint="Full host name, such as portal.example.com. Used once it is verified. Optional."
            />
          </Fields>
        </Section>
        <Section title="Footer and help">
          <Fields>
            <TextInput name="description" label="Short description" isWide lines={2} maxLength={500} />
            <TextInput name="contact" label="Contact" maxLength={500} hint="An https: or mailto: address." />
            <TextInput name="helpURL" label="Help pages" type="url" maxLength={500} hint="Default: the portal’s own." />
          </Fields>
        </Section>
        <Section title="Colours">
          <Fields least={320}>
            <AccentInput name="accentLight" mode="light" />
            <AccentInput name="accentDark" mode="dark" />
          </Fields>
        </Section>
        <Section title="Emails and reports">
          <Fields>
            <TextInput name="mailSenderName" label="Sender name" hint="Default: brand name." maxLength={200} />
            <TextInput
              name="mailSenderAddress"
              label="Sender address"
              type="email"
              maxLength={254}
              hint="Used once its domain is verified."
            />
            <TextInput name="mailFooter" label="Email footer" isWide lines={2} maxLength={500} />
            <TextInput name="pdfFooter" label="PDF page footer" isWide maxLength={200} />
          </Fields>
        </Section>
      </PartForm>
    </Column>
  );
}
