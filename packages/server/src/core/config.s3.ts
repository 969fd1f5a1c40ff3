/** A bucket of S3, or none. */

export interface S3Config {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Undefined without any of the settings; throws when some are missing. `prefix`: of their names, such as S3. */
export function s3Of(prefix: string, given: { [Name in keyof S3Config]: string | undefined }): S3Config | undefined {
  const { endpoint, bucket, accessKeyId, secretAccessKey, region = '' } = given;
  if (endpoint && bucket && accessKeyId && secretAccessKey) return { endpoint, bucket, region, accessKeyId, secretAccessKey };
  if (endpoint || bucket || accessKeyId || secretAccessKey) {
    const names = ['ENDPOINT', 'BUCKET', 'ACCESS_KEY_ID'].map((name) => `${prefix}_${name}`).join(', ');
    throw new Error(`The environment has faults:\n  ${names} and ${prefix}_SECRET_ACCESS_KEY go together.`);
  }
  return undefined;
}
