import { join } from "node:path";
import { asList, asObject } from "../../kit/json.ts";
import type { ServiceTools } from "../../kit/service-tools.ts";
import { parseJsonc } from "./opencode-config.ts";

/** Returns the variable that adds a folder of skills and the service's tools to the user's configuration, keeping its value. */
export const configVariable = (
  laidOut: string | null,
  tools: ServiceTools | null,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  if (laidOut === null && tools === null) return {};
  const config = parseJsonc(env.OPENCODE_CONFIG_CONTENT ?? "") ?? {};
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      ...config,
      ...(laidOut === null ? {} : { skills: withFolder(config.skills, join(laidOut, ".claude", "skills")) }),
      ...(tools === null ? {} : { mcp: { ...asObject(config.mcp), [tools.name]: serverOf(tools) } }),
    }),
  };
};

const withFolder = (skills: unknown, folder: string) => {
  const own = asObject(skills) ?? {};
  return { ...own, paths: [...asList(own.paths), folder] };
};

/** The program fills in the variable from its environment. */
const serverOf = ({ url, tokenVariable }: ServiceTools) => ({
  type: "remote",
  url,
  // It would look for a way to sign in.
  oauth: false,
  headers: { Authorization: `Bearer {env:${tokenVariable}}` },
});
