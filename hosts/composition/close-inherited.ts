import { closeSync } from "node:fs";
import { inheritableDescriptors } from "../../adapters-infra/local/inheritable-descriptors.ts";

/** Closes what the process that started this one has passed on, before anything is opened: programs would get it, too. */
export const closeInherited = (): void => {
  for (const descriptor of inheritableDescriptors()) closeSync(descriptor);
};
