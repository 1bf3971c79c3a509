import { join } from "node:path";
import type { DetectedModel, TestEnvironmentContext } from "../../../ports/agent-adapter.ts";
import { detected } from "../../kit/detected-model.ts";
import { inspect } from "../../kit/inspect.ts";
import { asText } from "../../kit/json.ts";
import { codexHome } from "./codex-home.ts";

/** Follows the program's own order: a profile precedes the top level. */
export const detectModel = async (context: TestEnvironmentContext): Promise<DetectedModel | null> => {
  const { config, env } = context;
  const file = join(codexHome(env), "config.toml");
  const settings = readTexts((await inspect(context, { texts: [file] })).texts.get(file) ?? "");
  const profile = settings.get("profile");
  const chosen = (key: string) => settings.get(`profiles.${profile}.${key}`) ?? settings.get(key);
  return detected(chosen("model_provider") ?? "openai", [
    { model: asText(config.model), source: "adapterConfig.model" },
    { model: chosen("model") ?? "", source: "codex's config.toml" },
    { model: settings.get("model") ?? "", source: "codex's config.toml" },
  ]);
};

/** Reads the single-line texts of a TOML file by dotted key and ignores everything else. */
export const readTexts = (toml: string): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>();
  let table = "";
  let until: string | null = null;
  for (const line of toml.split(/\r?\n/)) {
    if (until !== null) {
      if (line.includes(until)) until = null;
      continue;
    }
    const [, name = ""] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? [];
    if (name.trim() !== "") table = `${name.replaceAll(/["'\s]/g, "")}.`;
    else if (/^\s*\[\[/.test(line)) table = "[[]].";
    const [, key, value = ""] = /^\s*["']?([\w-]+)["']?\s*=\s*(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    const [, long] = /^("""|''')/.exec(value) ?? [];
    if (long !== undefined) {
      if (!value.slice(3).includes(long)) until = long;
      continue;
    }
    const [, basic, literal] = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*(?:#.*)?$/.exec(value) ?? [];
    const text = basic?.replaceAll(/\\(["\\])/g, "$1") ?? literal;
    if (text !== undefined) texts.set(`${table}${key}`, text);
  }
  return texts;
};
