import type { ConfigSchema } from "../../../../core/model/adapters/config-schema.ts";
import { useRead } from "../../live/calls.ts";
import { humanizeKey } from "../../widgets/humanize-key.ts";

type Config = Readonly<Record<string, unknown>>;

/** The configuration that an adapter takes; the service tells it for adapters that it has loaded. */
export const useConfigSchema = (adapterType: string): ConfigSchema => {
  const { data } = useRead("adapters.get", { adapterType });
  return (data?.configSchema ?? {}) as ConfigSchema;
};

/** first: what most agents need. permission: yes or no. limit: a number. more: the rest. */
export type SettingGroup = "first" | "permission" | "limit" | "more";

export const isNumber = ({ type }: ConfigSchema): boolean => type === "number" || type === "integer";

const groupOf = (key: string, schema: ConfigSchema, { required = [] }: ConfigSchema): SettingGroup => {
  if (required.includes(key) || key === "model" || key === "instructions") return "first";
  if (schema.type === "boolean" || key === "permissions") return "permission";
  return isNumber(schema) ? "limit" : "more";
};

/** The settings that a form shows, in the adapter's order. Skills have a field of their own. */
export const settingsOf = (schema: ConfigSchema, config: Config, groups: readonly SettingGroup[]) =>
  Object.entries(schema.properties ?? {})
    .filter(
      ([key, own]) =>
        key !== "desiredSkills" &&
        (own.deprecated !== true || key in config) &&
        groups.includes(groupOf(key, own, schema)),
    )
    .map(([key, own]) => ({ key, schema: own, label: own.title ?? humanizeKey(key) }));
