/** Pages of the simulated sign-in of Microsoft, operated manually. */

interface Account {
  email: string;
  name: string;
  tenant: string;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const framed = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>
<style>
body { font: 15px/1.5 'Segoe UI', system-ui, sans-serif; background: #f2f2f2; color: #1b1b1b; display: grid; place-items: center; min-height: 95vh; margin: 0 }
main { background: #fff; padding: 40px; width: min(440px, 100vw); box-sizing: border-box; box-shadow: 0 2px 6px rgba(0, 0, 0, .2) }
h1 { font-size: 24px; font-weight: 600; margin: 0 0 12px } ul { list-style: none; padding: 0; margin: 12px 0 } li { margin: 0 0 8px }
a, button { display: block; width: 100%; box-sizing: border-box; padding: 10px 14px; border: 1px solid #8c8c8c; background: #fff; color: inherit; font: inherit; text-align: left; text-decoration: none; cursor: pointer }
a.primary, button.primary { background: #0067b8; border-color: #0067b8; color: #fff; text-align: center } small { color: #616161 }
</style></head><body><main><small>Simulated Microsoft of this demo</small><h1>${escaped(title)}</h1>${body}</main></body></html>`;

/** The same address with another parameter. */
function withParameter(url: URL, name: string, value: string): string {
  const next = new URL(url);
  next.searchParams.set(name, value);
  return escaped(next.pathname + next.search);
}

export const signInPage = (url: URL, accounts: readonly Account[]): string =>
  framed(
    'Pick an account',
    `<ul>${accounts
      .map(
        ({ email, name }) =>
          `<li><a href="${withParameter(url, 'account', email)}">${escaped(name)}<br><small>${escaped(email)}</small></a></li>`,
      )
      .join('')}</ul><a href="${withParameter(url, 'account', '')}">Cancel</a>`,
  );

export const consentPage = (url: URL, { email }: Account, permissions: readonly string[]): string =>
  framed(
    'Permissions requested',
    `<p><small>${escaped(email)}</small></p><p>Security portal would like to, for your organization:</p>
<ul>${permissions.map((permission) => `<li>✓ ${escaped(permission)}</li>`).join('')}</ul>
<ul><li><a class="primary" href="${withParameter(url, 'decision', 'accept')}">Accept</a></li><li><a href="${withParameter(url, 'decision', 'cancel')}">Cancel</a></li></ul>`,
  );

export const deniedPage = (text: string): string =>
  framed('Sorry, but we’re having trouble signing you in', `<p>${escaped(text)}</p>`);

export const grantsPage = (grants: readonly string[], accounts: readonly Account[]): string =>
  framed(
    'Enterprise applications',
    grants.length === 0
      ? '<p>No tenant has consented to the portal.</p>'
      : `<ul>${grants
          .map((tenant) => {
            const admin = accounts.find((account) => account.tenant === tenant)?.email ?? tenant;
            return `<li><form method="post"><input type="hidden" name="tenant" value="${escaped(tenant)}"><button>Revoke the consent of ${escaped(
              admin.split('@')[1] ?? tenant,
            )}<br><small>${escaped(tenant)}</small></button></form></li>`;
          })
          .join('')}</ul>`,
  );
