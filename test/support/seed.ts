/** Properties draw the same cases in each run, so that a red run can be run again. READBACK_SEED draws others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['READBACK_SEED'] ?? 20_261_130) });
