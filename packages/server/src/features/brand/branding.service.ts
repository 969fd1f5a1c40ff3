/** Creates and changes a partner’s brand. Runs in the caller’s transaction, which has checked the permission. */
import { randomBytes } from 'node:crypto';
import type { Branding, ClientDetails, LogoKind } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDuplicate, readScoped, type Scope, systemScope, type Tx } from '../../core/db/scope.ts';
import { redraw } from '../../core/pictures.ts';
import { brandingFaults, fileOf, imageKey, imageUrl, subDomainFault, suggestedSubDomain, versionColumns } from './brand.rules.ts';
import { type BrandRow, findBrandById, insertBrand, isSubDomainTaken, putBrand, updateBrand } from './brand.store.ts';
import { domainOf, type PortalNames } from './domains.rules.ts';
import { isProvenElsewhere, syncClaims } from './domains.store.ts';

const maxBytes = 2 * 1024 * 1024;
const maxPixels = 4096 * 4096;
const fits = { light: { width: 600, height: 160 }, dark: { width: 600, height: 160 }, favicon: { width: 64, height: 64 } };
const noLogos: ClientDetails['logos'] = { light: '', dark: '', favicon: '' };

const brandingOf = (row: BrandRow): Branding => ({
  partnerName: row.name,
  title: row.title,
  subDomain: row.sub_domain,
  selfHostedDomain: row.self_hosted_domain ?? '',
  description: row.description,
  contact: row.contact,
  helpURL: row.help_url,
  accentLight: row.accent_light,
  accentDark: row.accent_dark,
  mailSenderName: row.mail_sender_name,
  mailSenderAddress: row.mail_sender_address,
  mailFooter: row.mail_footer,
  pdfFooter: row.pdf_footer,
});

const takenText = (name: string) => `${name} is already taken. Choose another one.`;

export type BrandingService = ReturnType<typeof createBrandingService>;

export function createBrandingService({
  db,
  blobs,
  publicUrl,
  mailFrom,
}: {
  db: Database;
  blobs: Blobs;
  publicUrl: string;
  mailFrom: string;
}) {
  const portal: PortalNames = { host: new URL(publicUrl).hostname, mailDomain: domainOf(mailFrom) };

  return {
    /** Brand and image paths; null without a brand. */
    async of(tx: Tx, scope: Scope, organisationId: number): Promise<Pick<ClientDetails, 'branding' | 'logos'>> {
      const row = await findBrandById(tx, scope, organisationId);
      if (!row) return { branding: null, logos: noLogos };
      return {
        branding: brandingOf(row),
        logos: { light: imageUrl(row, 'light.png'), dark: imageUrl(row, 'dark.png'), favicon: imageUrl(row, 'favicon.png') },
      };
    },

    /** Creates a new partner’s brand; the sub-domain defaults to one derived from the name. Needs the portal’s own scope. */
    async make(tx: Tx, organisationId: number, name: string, requested: string | undefined): Promise<void> {
      const fault = requested === undefined ? undefined : subDomainFault(requested);
      if (fault) throw problem.invalid({ subDomain: [fault] });
      for (let nth = 1; nth <= 100; nth++) {
        const subDomain = requested ?? suggestedSubDomain(name, nth);
        if (
          !subDomainFault(subDomain) &&
          (await insertBrand(tx, { organisation_id: organisationId, sub_domain: subDomain, name }))
        ) {
          await syncClaims(tx, systemScope, organisationId);
          return;
        }
        if (requested !== undefined) throw problem.conflict(takenText(`The sub-domain "${requested}"`));
      }
      throw problem.conflict(`No sub-domain could be derived from "${name}". Enter one.`);
    },

    /** Validates a brand; throws invalid with its fields, or conflict. */
    async check(organisationId: number, branding: Branding): Promise<void> {
      const faults = brandingFaults(branding, organisationId, portal);
      if (Object.keys(faults).length > 0) throw problem.invalid(faults);
      // Other partners’ brands are outside the caller’s scope; only the conflict is disclosed.
      await readScoped(db, systemScope, async (tx) => {
        if (await isSubDomainTaken(tx, organisationId, branding.subDomain))
          throw problem.conflict(takenText(`The sub-domain "${branding.subDomain}"`));
        for (const domain of [branding.selfHostedDomain, domainOf(branding.mailSenderAddress)])
          if (await isProvenElsewhere(tx, organisationId, domain)) throw problem.conflict(takenText(`The domain ${domain}`));
      });
    },

    /** Saves the brand and aligns its domain claims, in the caller’s scope. */
    async save(tx: Tx, scope: Scope, organisationId: number, branding: Branding): Promise<void> {
      await putBrand(tx, organisationId, {
        name: branding.partnerName,
        title: branding.title,
        sub_domain: branding.subDomain,
        self_hosted_domain: branding.selfHostedDomain || null,
        description: branding.description,
        contact: branding.contact,
        help_url: branding.helpURL,
        accent_light: branding.accentLight,
        accent_dark: branding.accentDark,
        mail_sender_name: branding.mailSenderName,
        mail_sender_address: branding.mailSenderAddress,
        mail_footer: branding.mailFooter,
        pdf_footer: branding.pdfFooter,
      }).catch((error: unknown) => {
        // Taken by a concurrent request.
        if (isDuplicate(error)) throw problem.conflict(takenText('The sub-domain'));
        throw error;
      });
      await syncClaims(tx, scope, organisationId);
    },

    /** Aligns the claims after a change of the organisation’s address, the default sender. */
    addressChanged: async (tx: Tx, scope: Scope, organisationId: number): Promise<void> => {
      await syncClaims(tx, scope, organisationId);
    },

    /** Re-encodes and stores an image outside a transaction; returns a function that assigns it to the brand. */
    async putImage(organisationId: number, kind: LogoKind, bytes: Buffer): Promise<(tx: Tx) => Promise<void>> {
      const file = fileOf(kind);
      const image = await redraw(bytes, { formats: ['png', 'jpeg', 'webp'], maxBytes, maxPixels, fit: fits[kind] });
      await blobs.put(imageKey(organisationId, file), image, 'image/png');
      return (tx) => updateBrand(tx, organisationId, { [versionColumns[file]]: randomBytes(6).toString('hex') });
    },

    forgetImage: (tx: Tx, organisationId: number, kind: LogoKind): Promise<void> =>
      updateBrand(tx, organisationId, { [versionColumns[fileOf(kind)]]: null }),

    /** Deletes an image’s file; call after the commit that removed its reference. */
    removeImage: (organisationId: number, kind: LogoKind): Promise<void> => blobs.remove(imageKey(organisationId, fileOf(kind))),
  };
}
