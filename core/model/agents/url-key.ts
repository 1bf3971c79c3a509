import { isUuid } from "../shared/ids.ts";

/** `Ada Lovelace` → `ada-lovelace`; a name without usable characters gives the agent's id. */
export const urlKeyOf = (name: string, id: string): string => {
  const key = normaliseUrlKey(name);
  // A key that looks like an id would be read as an id, and `/api/agents/me` is the caller.
  return key === "" || key === "me" || isUuid(key) ? id : key;
};

export const normaliseUrlKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
