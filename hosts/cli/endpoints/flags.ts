import { resolve } from "node:path";
import { UsageError } from "../failure.ts";

/** A field of a query or a body, as a flag. */
export interface Field {
  readonly name: string;
  /** Without the dashes. */
  readonly flag: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly kind: Kind;
  /** The help text: meaning and accepted values. */
  readonly help: string;
}

export type Kind =
  /** A text that may come from a file. */
  | { readonly type: "text" }
  /** A secret is not an argument, because every program on the machine can read arguments. */
  | { readonly type: "secret" }
  | { readonly type: "word" }
  | { readonly type: "number" }
  | { readonly type: "switch" }
  | { readonly type: "choice"; readonly values: readonly string[] }
  | { readonly type: "list"; readonly values: readonly string[] | null; readonly of: Noun | null }
  /** The id of a thing that also has a short name. */
  | { readonly type: "reference"; readonly of: Noun }
  | { readonly type: "json" }
  /** A path on this machine. */
  | { readonly type: "path" }
  /** The content of a file, given by its path. */
  | { readonly type: "file" };

export type Noun = "agent" | "issue";

const placeholders: Record<Exclude<Kind["type"], "switch" | "reference">, string> = {
  text: "text",
  secret: "@file|-",
  word: "value",
  number: "n",
  choice: "value",
  list: "list",
  json: "json",
  path: "path",
  file: "path",
};

/** Writes a flag as commander and its help do: `--expected-statuses <list>`. */
export const termOf = ({ flag, kind }: Field): string =>
  kind.type === "switch"
    ? `--${flag}`
    : `--${flag} <${kind.type === "reference" ? kind.of : placeholders[kind.type]}>`;

/** Reads the values of a flag, in the order of their repetition. @throws UsageError */
export const readField = async (
  field: Field,
  typed: string | boolean | readonly string[],
  stdin: () => Promise<string>,
): Promise<unknown> => {
  const { kind, flag } = field;
  if (typeof typed === "boolean") return typed;
  const all = typeof typed === "string" ? [typed] : typed;
  const last = all.at(-1) ?? "";
  if (field.nullable && last === "null") return null;
  switch (kind.type) {
    case "list": {
      const items = all
        .flatMap((part) => part.split(","))
        .map((part) => part.trim())
        .filter((part) => part !== "");
      for (const item of items) if (kind.values !== null) oneOf(flag, item, kind.values);
      return items;
    }
    case "choice":
      return oneOf(flag, last, kind.values);
    case "number": {
      const number = Number(last);
      if (last.trim() === "" || !Number.isFinite(number))
        throw new UsageError(`--${flag} takes a number, not "${last}".`);
      return number;
    }
    case "json":
      return parseJson(flag, await content(flag, last, stdin));
    case "secret": {
      if (last !== "-" && !/^@[^@]/.test(last))
        throw new UsageError(
          `--${flag} takes - (standard input) or @file: every program on the machine can read arguments.`,
        );
      // The final line break of a shell or an editor is not part of the secret.
      return (await content(flag, last, stdin)).replace(/\r?\n$/, "");
    }
    case "text":
      return content(flag, last, stdin);
    case "path":
      return resolve(last);
    case "file": {
      const { openFile } = await import("./given-files.ts");
      return openFile(flag, last);
    }
    default:
      return last;
  }
};

const oneOf = (flag: string, value: string, values: readonly string[]): string => {
  if (values.includes(value)) return value;
  throw new UsageError(`--${flag} takes ${values.join(", ")}; "${value}" is none of them.`);
};

/**
 * Reads a text: literal, from a file (`@notes.md`) or from standard input (`-`). Comments often begin with a mention,
 * so `@name and more words` is literal; a single word that begins with @ is written `@@name`.
 */
const content = async (flag: string, typed: string, stdin: () => Promise<string>): Promise<string> => {
  if (typed === "-") return stdin();
  if (typed.startsWith("@@")) return typed.slice(1);
  if (!typed.startsWith("@") || /\s/.test(typed) || typed === "@") return typed;
  const { readText } = await import("./given-files.ts");
  return readText(flag, typed);
};

const parseJson = (flag: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${flag} takes JSON such as '{"key":"value"}', or @file.json with JSON in it.`);
  }
};
