/** The running portal's database, for what only time would bring about. */
import { connect } from '@parapet/server/core/db/connect.ts';
import { attachEmbedded } from '@parapet/server/core/db/embedded.ts';

/** Makes the session of a token look as if its user had proven who they are eleven minutes ago: longer than counts as recent. */
export async function ageSession(dataDir: string, token: string): Promise<void> {
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string };
  const db = connect({ url: await attachEmbedded({ dataDir }), applicationName: 'journeys', poolSize: 1 });
  try {
    const { rowCount } = await db.pool.query(
      `update sessions set proven_at = now() - interval '11 minutes', second_factor_at = second_factor_at - interval '11 minutes'
       where id = $1`,
      [sid],
    );
    if (rowCount !== 1) throw new Error('There is no such session.');
  } finally {
    await db.close();
  }
}
