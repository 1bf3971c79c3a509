type Config = Readonly<Record<string, unknown>>;

/** A key of adapterConfig is invalid. The message is a sentence for the person who configured it. */
export class ConfigRefusal extends Error {
  readonly key: string;
  constructor(key: string, sentence: string) {
    super(`adapterConfig.${key} ${sentence}`);
    this.name = "ConfigRefusal";
    this.key = key;
  }
}

/** null and "" count as not configured. */
const configured = (config: Config, key: string): unknown => {
  const value = config[key];
  return value === null || value === "" ? undefined : value;
};

export const optionalText = (config: Config, key: string): string | undefined => {
  const value = configured(config, key);
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new ConfigRefusal(key, `must be a text, not ${describe(value)}.`);
  if (value.includes("\0")) throw new ConfigRefusal(key, "must not hold a NUL character.");
  return value;
};

export const requiredText = (config: Config, key: string): string => {
  const value = optionalText(config, key);
  if (value === undefined || value.trim() === "") throw new ConfigRefusal(key, "is required.");
  return value;
};

export const textList = (config: Config, key: string): readonly string[] => {
  const value = configured(config, key);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ConfigRefusal(key, `must be a list of texts, not ${describe(value)}.`);
  return value.map((entry: unknown, index) => {
    if (typeof entry === "string" && !entry.includes("\0")) return entry;
    if (typeof entry === "number") return String(entry);
    throw new ConfigRefusal(`${key}[${index}]`, "must be a text.");
  });
};

export const flag = (config: Config, key: string, otherwise: boolean): boolean => {
  const value = configured(config, key);
  if (value === undefined) return otherwise;
  if (typeof value !== "boolean")
    throw new ConfigRefusal(key, `must be true or false, not ${describe(value)}.`);
  return value;
};

export const optionalCount = (config: Config, key: string): number | undefined => {
  const value = configured(config, key);
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
    throw new ConfigRefusal(key, `must be a whole number from 1, not ${describe(value)}.`);
  }
  return value;
};

/** The longest timeout: a week. */
export const maxSeconds = 7 * 24 * 3600;

/** Reads a time limit. It cannot be switched off: 0, "none" and the like are refused. */
export const seconds = (config: Config, key: string, otherwise: number): number => {
  const value = configured(config, key);
  if (value === undefined) return otherwise;
  if (typeof value !== "number" || !(value > 0) || value > maxSeconds) {
    throw new ConfigRefusal(
      key,
      `must be a number of seconds above 0 and at most ${maxSeconds}, not ${describe(value)}. A run always has a time limit; leave it out for ${otherwise}.`,
    );
  }
  return value;
};

/** Omits the value where it could be long or secret. */
const describe = (value: unknown): string => {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return value.length <= 20 ? JSON.stringify(value) : "a text";
  return Array.isArray(value) ? "a list" : "an object";
};
