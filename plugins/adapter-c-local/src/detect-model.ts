import type { DetectedModel, TestEnvironmentContext } from "../../../ports/agent-adapter.ts";
import { detected } from "../../kit/detected-model.ts";
import { asText } from "../../kit/json.ts";
import { listModels } from "./models.ts";
import { userConfigs } from "./opencode-config.ts";

/** Returns the configured model, otherwise the first of the program's list, because a run must name one. */
export const detectModel = async (context: TestEnvironmentContext): Promise<DetectedModel | null> => {
  const { config } = context;
  const configured = (await userConfigs(context)).map(({ name, config }) => ({
    model: asText(config.model),
    source: name,
  }));
  const listed = (await listModels(context)).map(({ id }) => ({ model: id, source: "opencode models" }));
  return detected(
    (model) => model.split("/", 1)[0] ?? "",
    [{ model: asText(config.model), source: "adapterConfig.model" }, ...configured, ...listed],
  );
};
