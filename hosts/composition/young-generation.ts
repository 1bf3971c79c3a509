import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's young generation from growing while the service loads and starts: most of what that allocates is garbage
 * at once, and V8 does not give back the 16 MB to which it would grow. `false` lets it grow as load needs it.
 */
export const keepYoungGenerationSmall = (isSmall: boolean): void =>
  setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 1 : 2}`);
