/** Queries and writes of imports. */
import { type FileImport, importsApi } from '@parapet/contract/imports.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const importsQuery = (client: number) => queryOptionsOf(importsApi.list, { params: { client } });

const changes = { invalidates: [importsApi.list], invalidatesOnFailure: true };

export const useCreateImport = () => useApiMutation(importsApi.create, { ...changes, failure: false });
export const useUploadImport = () =>
  useApiMutation(importsApi.upload, {
    ...changes,
    input: ({ prepared: { clientOrganizationID: client, id }, file }: { prepared: FileImport; file: File }) => ({
      params: { client, import: id },
      // The type that browsers report is unreliable.
      body: new Blob([file], { type: 'application/octet-stream' }) as never,
    }),
    success: ({ stored, fileName }) => `${stored} events of ${fileName} imported`,
    failure: 'Couldn’t import the file.',
  });
