/** One text in the browser’s storage of this tab. A browser that refuses storage reads as empty. */
export interface TextStorage {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

export interface TabMemory {
  read: () => string | undefined;
  /** Returns false where the storage is full or refused. */
  write: (text: string) => boolean;
  forget: () => void;
}

export function createTabMemory(key: string, storage: () => TextStorage = () => sessionStorage): TabMemory {
  const attempt = <T>(work: (storage: TextStorage) => T): T | undefined => {
    try {
      return work(storage());
    } catch {
      return undefined;
    }
  };
  return {
    read: () => attempt((storage) => storage.getItem(key)) ?? undefined,
    write: (text) =>
      attempt((storage) => {
        storage.setItem(key, text);
        return true;
      }) ?? false,
    forget: () => attempt((storage) => storage.removeItem(key)),
  };
}
