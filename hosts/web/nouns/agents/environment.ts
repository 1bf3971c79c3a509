/** A variable of an agent's environment while it is edited: names may be empty or doubled meanwhile. */
export interface EnvironmentRow {
  readonly key: string;
  readonly name: string;
  /** A text, or a reference to a secret. */
  readonly from: "text" | "secret";
  readonly value: string;
  readonly secretId: string | null;
  readonly version: "latest" | number;
}

type Config = Readonly<Record<string, unknown>>;

let rows = 0;

export const emptyRow = (): EnvironmentRow => {
  rows += 1;
  return { key: `row-${rows}`, name: "", from: "text", value: "", secretId: null, version: "latest" };
};

export const isObject = (value: unknown): value is Config =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const rowOf = ([name, binding]: readonly [string, unknown]): EnvironmentRow => {
  const row = { ...emptyRow(), name };
  if (typeof binding === "string") return { ...row, value: binding };
  if (!isObject(binding)) return row;
  return binding.type === "secret_ref"
    ? {
        ...row,
        from: "secret",
        secretId: String(binding.secretId),
        version: typeof binding.version === "number" ? binding.version : "latest",
      }
    : { ...row, value: String(binding.value ?? "") };
};

export const environmentOf = (env: unknown): readonly EnvironmentRow[] =>
  isObject(env) ? Object.entries(env).map(rowOf) : [];
