/** Every request, method and event that readback itself speaks of. */
import { contracts } from './pack.ts';
import { answeringPack } from './pack-answering.ts';
import { questionPack } from './pack-questions.ts';
import { secretPack } from './pack-secrets.ts';
import { sessionPack } from './pack-sessions.ts';
import { windowPack } from './pack-windows.ts';

/** The pack that a registry or dispatcher uses when it is given none. `extend` it with your own. */
export const defaultPack = contracts()
  .extend(questionPack)
  .extend(secretPack)
  .extend(windowPack)
  .extend(answeringPack)
  .extend(sessionPack);
