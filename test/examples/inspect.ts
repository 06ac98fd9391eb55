/** The live page of the charts on a host of one's own. */
import { strictEqual } from 'node:assert';
// #region inspect
import { memoryStore, openCoordinator } from 'readback';
import { startHost } from 'readback/host';
import { inspectPage } from 'readback/inspect';

const coordinator = await openCoordinator({ store: memoryStore() });
const host = await startHost({ coordinator, mounts: [inspectPage({ coordinator })] });
const page = `${host.url}/inspect?token=${host.token}`; // open it in a browser
// #endregion
strictEqual((await fetch(page)).status, 200);
await host.close();
await coordinator.close();
