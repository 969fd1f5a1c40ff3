/** The common suite of connectors, for all kinds but those of connections.vendors.test.ts. */
import { startVendor } from '@parapet/world/vendors/all.ts';
import { connectorSuite, shortKinds } from '../../../test/connections.suite.ts';

for (const kind of Object.keys(startVendor)) if (!shortKinds.includes(kind)) connectorSuite(kind);
