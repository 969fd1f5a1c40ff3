/** A partner's brand: names, addresses, colours, mails, logos. Clients of the partner see it everywhere. */

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
            <TextInput name="partnerName" label="Brand’s name" isRequired maxLength={200} />
            <TextInput name="title" label="Title of the browser’s tab" hint="Empty for the brand’s name." maxLength={200} />
            <TextInput
              name="subDomain"
              label="Sub-domain"
              isRequired
              maxLength={63}
              hint="First label of the host name under which the brand shows."
            />
            <TextInput
              name="selfHostedDomain"
              label="Own domain"
              maxLength={253}
              hint="A whole host name, such as portal.example.com. Used once it is verified. May be empty."
            />
          </Fields>
        </Section>
        <Section title="Footer and help">
          <Fields>
            <TextInput name="description" label="Short description" isWide lines={2} maxLength={500} />
            <TextInput name="contact" label="Contact" maxLength={500} hint="A https: or mailto: address." />
            <TextInput name="helpURL" label="Help pages" type="url" maxLength={500} hint="Empty for the portal’s own." />
          </Fields>
        </Section>
        <Section title="Colours">
          <Fields least={320}>
            <AccentInput name="accentLight" mode="light" />
            <AccentInput name="accentDark" mode="dark" />
          </Fields>
        </Section>
        <Section title="Mails and reports">
          <Fields>
            <TextInput name="mailSenderName" label="Sender’s name" hint="Empty for the brand’s name." maxLength={200} />
            <TextInput
              name="mailSenderAddress"
              label="Sender’s address"
              type="email"
              maxLength={254}
              hint="Used once its domain is verified."
            />
            <TextInput name="mailFooter" label="Last lines of each mail" isWide lines={2} maxLength={500} />
            <TextInput name="pdfFooter" label="Foot line of each PDF page" isWide maxLength={200} />
          </Fields>
        </Section>
      </PartForm>
    </Column>
  );
}
