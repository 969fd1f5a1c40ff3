/** The common suite of connectors, for two kinds. */
import { connectorSuite, shortKinds } from '../../../test/connections.suite.ts';

for (const kind of shortKinds) connectorSuite(kind);
