import { resemblesSecret } from "../../../core/model/agents/inline-secrets.ts";

/** Columns with settings of adapters, in which people may have written secrets in clear. */
const settingColumns: Readonly<Record<string, readonly string[]>> = {
  agent_config_revisions: ["before_config", "after_config"],
  agents: ["adapter_config", "runtime_config", "metadata"],
  approval_rounds: ["payload"],
  approvals: ["payload"],
  mcp_servers: ["env", "headers"],
};

/** Leaves out each text that may be a secret, at any depth; a variable with it goes whole. */
export const withoutSecrets = (value: unknown, path: string, onOmitted: (path: string) => void): unknown => {
  if (Array.isArray(value))
    return value.flatMap((each, at) => {
      const remaining = keep("", each, `${path}.${at}`, onOmitted);
      return remaining === undefined ? [] : [remaining];
    });
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
      const remaining = keep(name, each, path === "" ? name : `${path}.${name}`, onOmitted);
      return remaining === undefined ? [] : [[name, remaining]];
    }),
  );
};

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const keep = (name: string, value: unknown, path: string, onOmitted: (path: string) => void): unknown => {
  const text =
    typeof value === "object" && value !== null ? (value as { readonly value?: unknown }).value : value;
  if (name === "secretId" && typeof value === "string" && id.test(value)) return value;
  if (typeof text !== "string" || text.includes("{{env.") || !resemblesSecret(name, text))
    return withoutSecrets(value, path, onOmitted);
  onOmitted(path);
  return undefined;
};

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** A field as COPY writes it, and back. */
const unescaped = (field: string): string =>
  field.replace(/\\(.)/gs, (_, character: string) => escapes[character] ?? character);
const escaped = (text: string): string =>
  text.replace(/[\\\n\r\t]/g, (each) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" })[each]!);

/** Leaves secrets out of rows of a table, in the text format of COPY. */
export const rowsWithoutSecrets = (
  table: string,
  columns: readonly string[],
  onOmitted: (path: string) => void,
): ((rows: Buffer) => Buffer) => {
  const settings = new Set((settingColumns[table] ?? []).map((name) => columns.indexOf(name)));
  if (settings.size === 0) return (rows) => rows;
  return (rows) =>
    Buffer.from(
      rows
        .toString("utf8")
        .split("\n")
        .map((line) =>
          line
            .split("\t")
            .map((field, at) =>
              settings.has(at) && field !== "\\N" && field !== ""
                ? escaped(JSON.stringify(withoutSecrets(JSON.parse(unescaped(field)), "", onOmitted)))
                : field,
            )
            .join("\t"),
        )
        .join("\n"),
    );
};
