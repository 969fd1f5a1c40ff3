/** The common suite of connectors for two kinds: one reads a log by pages, the other lists content first. The long tests take the others. */
import { connectorSuite } from '../../../test/connections.suite.ts';

for (const kind of ['okta', 'm365']) connectorSuite(kind);
