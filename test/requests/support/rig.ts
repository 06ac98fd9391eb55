/** The rig of the kit, over the registry of this package. */
import type { ServerRequestsOptions } from '../../../src/requests/api.ts';
import { createMirror, createServerRequests } from '../../../src/requests.ts';
import { RequestRig as KitRig, type RequestsSubject } from '../../../src/testing/requests/rig.ts';

export const own: RequestsSubject = { create: createServerRequests, mirror: createMirror };

export class RequestRig extends KitRig {
  constructor(options: Partial<ServerRequestsOptions> = {}, runtime?: KitRig['runtime']) {
    super(options, runtime, own);
  }
}
