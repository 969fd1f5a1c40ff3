/** Direct access to the running portal’s database, to simulate the passage of time. */
import { connect } from '@parapet/server/core/db/connect.ts';
import { attachEmbedded } from '@parapet/server/core/db/embedded.ts';

/** Backdates the session’s last proof of identity by 11 minutes, past the step-up window. */
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
