import type { AdapterModel } from "../../../ports/agent-adapter.ts";

/** Empty: each agent knows its own. */
export const models: readonly AdapterModel[] = [];
