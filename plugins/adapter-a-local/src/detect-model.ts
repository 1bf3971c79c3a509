import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestEnvironmentContext } from "../../../ports/agent-adapter.ts";
import { detected } from "../../kit/detected-model.ts";
import { asText, parseObject } from "../../kit/json.ts";
import { claudeHome } from "./claude-home.ts";
import { isBedrock } from "./command-line.ts";

/** Follows the program's own order. */
export const detectModel = async ({ config, env }: TestEnvironmentContext) => {
  const settings = await readFile(join(claudeHome(env), "settings.json"), "utf8").catch(() => "");
  return detected(isBedrock(env) ? "bedrock" : "anthropic", [
    { model: asText(config.model), source: "adapterConfig.model" },
    { model: env.ANTHROPIC_MODEL ?? "", source: "environment variable ANTHROPIC_MODEL" },
    { model: asText(parseObject(settings)?.model), source: "claude's settings.json" },
  ]);
};
