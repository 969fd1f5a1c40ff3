/** The common suite of connectors, for all but the two of connections.vendors.test.ts. */
import { startVendor } from '@parapet/world/vendors/all.ts';
import { connectorSuite } from '../../../test/connections.suite.ts';

for (const kind of Object.keys(startVendor)) if (kind !== 'okta' && kind !== 'm365') connectorSuite(kind);
