/** Cookies of the selected client and timeframe, valid for 30 days (spec §4, §9). Errors are only logged (spec §8). */
const thirtyDaysSeconds = 30 * 24 * 60 * 60;

export const clientCookie = 'selectedClient';
export const timeframeCookie = 'selectedTimeframe';

interface Jar {
  cookie: string;
}

export function createCookies(jar: () => Jar, isSecure: () => boolean) {
  const write = (name: string, value: string, maxAge: number) => {
    try {
      jar().cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAge}; SameSite=Lax${isSecure() ? '; Secure' : ''}`;
    } catch (error) {
      console.warn(`The cookie ${name} could not be written.`, error);
    }
  };
  return {
    read(name: string): string | undefined {
      try {
        const found = jar()
          .cookie.split('; ')
          .find((pair) => pair.startsWith(`${name}=`));
        return found === undefined ? undefined : decodeURIComponent(found.slice(name.length + 1));
      } catch (error) {
        console.warn(`The cookie ${name} could not be read.`, error);
        return undefined;
      }
    },
    write: (name: string, value: string) => write(name, value, thirtyDaysSeconds),
    remove: (name: string) => write(name, '', 0),
  };
}

export const cookies = createCookies(
  () => document,
  () => location.protocol === 'https:',
);
