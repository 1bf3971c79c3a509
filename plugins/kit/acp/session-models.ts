import type { AdapterModel } from "../../../ports/agent-adapter.ts";
import { asObject, asObjects, asText, type Json } from "../json.ts";

/** The models that a session offers. */
export interface SessionModels {
  readonly models: readonly AdapterModel[];
  /** The id of the one it has; "" where it does not tell. */
  readonly current: string;
  /** The option that sets it; null: `session/set_model` does. */
  readonly option: string | null;
}

const maxId = 300;

/** Reads the answer to `session/new`, `session/load` or `session/resume`: an option of the session, or the older `models`. */
export const sessionModels = ({ configOptions, models }: Json): SessionModels => {
  const option = asObjects(configOptions).find(({ category }) => category === "model");
  if (option !== undefined)
    return {
      models: asObjects(option.options)
        // Options may be in groups.
        .flatMap((one) => ("options" in one ? asObjects(one.options) : [one]))
        .flatMap(({ value, name }) => modelOf(value, name)),
      current: asText(option.currentValue),
      option: asText(option.id),
    };
  const older = asObject(models);
  return {
    models: asObjects(older?.availableModels).flatMap(({ modelId, name }) => modelOf(modelId, name)),
    current: asText(older?.currentModelId),
    option: null,
  };
};

const modelOf = (id: unknown, name: unknown): readonly AdapterModel[] => {
  const text = asText(id);
  return text === "" || text.length > maxId
    ? []
    : [{ id: text, label: asText(name).slice(0, maxId) || text }];
};
