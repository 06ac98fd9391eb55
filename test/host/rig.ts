import { fakeRig, type Rig } from './fake-coordinator.ts';

/**
 * The coordinator under these tests. `READBACK_TEST_RIG` names a module that exports `makeRig(): Promise<Rig>`, so
 * that the same tests run against the real one.
 */
export async function makeRig(): Promise<Rig> {
  const path = process.env['READBACK_TEST_RIG'];
  if (path === undefined || path === '') return fakeRig();
  const module = (await import(path)) as { makeRig(): Promise<Rig> };
  return module.makeRig();
}
