import { join } from "node:path";
import type { TestEnvironmentContext } from "../../../ports/agent-adapter.ts";
import { detected } from "../../kit/detected-model.ts";
import { inspect } from "../../kit/inspect.ts";
import { asText, parseObject } from "../../kit/json.ts";
import { claudeHome } from "./claude-home.ts";
import { isBedrock } from "./command-line.ts";

/** Follows the program's own order. */
export const detectModel = async (context: TestEnvironmentContext) => {
  const { config, env } = context;
  const file = join(claudeHome(env), "settings.json");
  const settings = (await inspect(context, { texts: [file] })).texts.get(file) ?? "";
  return detected(isBedrock(env) ? "bedrock" : "anthropic", [
    { model: asText(config.model), source: "adapterConfig.model" },
    { model: env.ANTHROPIC_MODEL ?? "", source: "environment variable ANTHROPIC_MODEL" },
    { model: asText(parseObject(settings)?.model), source: "claude's settings.json" },
  ]);
};
