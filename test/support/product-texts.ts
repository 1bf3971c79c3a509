import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseAst } from "vitest/node";
import { root } from "./imports.ts";

/** A text of the product that people may read, and the file that has it. Values in it stand in braces. */
export interface ProductText {
  readonly path: string;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly [property: string]: unknown;
}

/** Attributes of elements whose values nobody reads. */
const technicalAttributes =
  /^(className|class|d|viewBox|id|key|type|name|role|href|to|path|kind|tone|as|rel|target|autoComplete|inputMode|htmlFor|size|variant|icon|align|style|fill|stroke|method|data-.*|aria-(controls|labelledby|describedby|live|haspopup|expanded|current|selected|pressed|sort|autocomplete))$/;

const codePatterns = [
  /^\s*(select|insert|update|delete|with|create|alter|drop|lock|set|from|where|and|or|order by|left join|join|case|when|union|begin|commit|rollback|values|returning|grant|revoke|vacuum|analyze|copy|for|limit|on conflict|group by|having|exists|not exists|coalesce)\b[^.]*\b(from|into|table|set|where|and|null|is|select|values|index|exists|as|on|by|to|in|role|update|transaction|for|local|now|schema|type|constraint|or)\b/,
  /^[a-z]+:[a-z/]/,
  /^[#.@/\\-]/,
  /[{};]\s*\n/,
  /^(#!|import |export |const |function |<[a-z!/])/,
  /\b[a-z]+_[a-z]+\b(.*\b[a-z]+_[a-z]+\b){2}|^[a-z ]+: [a-z ]+;|^(git|exec|mkdir|chmod|umask) |\bawk\b/,
  /=>|&&|\|\||\$\(|__|\b[a-z]+\([a-z, ]*\)|::/,
];

/** Tells sentences and labels from a name, a path, a header, a query or a class. */
const isForPeople = (text: string, inPage: boolean) => {
  const plain = text.replaceAll(/\{[^}]*\}/g, " x ").trim();
  if (codePatterns.some((pattern) => pattern.test(plain))) return false;
  if (/[A-Za-z]['’]?[,.:;!?…]?\s+[("“‘]?[A-Za-z0-9]/.test(text.replaceAll(/\{[^}]*\}/g, "X"))) return true;
  return inPage && /^[A-Z][a-z]+[.…:?!]?$/.test(plain);
};

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Reads the texts of one file. */
class TextReader {
  readonly #source: string;
  readonly found: string[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  #placeholder(node: unknown): string {
    if (!isNode(node)) return "{…}";
    const text = this.#text(node);
    if (text !== undefined) return text;
    if (node.type === "ConditionalExpression") {
      const branches = [this.#text(node.consequent), this.#text(node.alternate)];
      if (branches.every((branch) => branch !== undefined)) return `{${branches.join("|")}}`;
    }
    const written = this.#source.slice(node.start as number, node.end as number);
    const name = /^[\w.?]+$/.test(written) ? written : /^([a-z]\w*)\(/.exec(written)?.[1];
    return `{${name ?? "…"}}`;
  }

  /** The text of a literal, a template or a sum of both. */
  #text(value: unknown): string | undefined {
    if (!isNode(value)) return undefined;
    if (value.type === "Literal") return typeof value.value === "string" ? value.value : undefined;
    if (value.type === "TemplateLiteral") {
      const quasis = value.quasis as readonly { readonly value: { readonly cooked: string } }[];
      const expressions = value.expressions as readonly unknown[];
      return quasis
        .map(
          ({ value: { cooked } }, at) =>
            cooked + (at < expressions.length ? this.#placeholder(expressions[at]) : ""),
        )
        .join("");
    }
    if (value.type === "BinaryExpression" && value.operator === "+") {
      const sides = [this.#text(value.left), this.#text(value.right)];
      if (sides.some((side) => side !== undefined))
        return `${sides[0] ?? this.#placeholder(value.left)}${sides[1] ?? this.#placeholder(value.right)}`;
    }
    return undefined;
  }

  /** The text of an element with all that it contains, as it is read. */
  #elementText(node: Node): string {
    return (node.children as readonly Node[])
      .map((child) => {
        if (child.type === "JSXText") return (child.value as string).replaceAll(/\s*\n\s*/g, "\n");
        if (child.type === "JSXExpressionContainer")
          return (child.expression as Node).type === "JSXEmptyExpression"
            ? ""
            : this.#placeholder(child.expression);
        return child.type === "JSXElement" || child.type === "JSXFragment" ? this.#elementText(child) : "{…}";
      })
      .join("")
      .replaceAll(/^\n|\n$/g, "")
      .replaceAll("\n", " ");
  }

  #hasOwnText(node: Node): boolean {
    return (node.children as readonly Node[]).some(
      (child) => child.type === "JSXText" && /[A-Za-z]/.test(child.value as string),
    );
  }

  read(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.read(item);
    if (!isNode(value)) return;
    if (this.#isTechnical(value)) return;
    const text = this.#text(value);
    if (text !== undefined) {
      this.found.push(text);
      // A value of a template may be a choice of texts.
      if (value.type === "TemplateLiteral") this.read(value.expressions);
      return;
    }
    if ((value.type === "JSXElement" || value.type === "JSXFragment") && this.#hasOwnText(value))
      this.found.push(this.#elementText(value));
    for (const [property, child] of Object.entries(value))
      if (property !== "typeAnnotation" && property !== "typeArguments") this.read(child);
  }

  #isTechnical(node: Node): boolean {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "ImportExpression":
      case "TaggedTemplateExpression":
        return true;
      case "BinaryExpression":
        return /^[!=]=/.test(node.operator as string);
      case "JSXAttribute":
        return technicalAttributes.test((node.name as { readonly name: string }).name);
      default:
        return (
          node.type.startsWith("TS") &&
          !["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "TSEnumDeclaration"].includes(
            node.type,
          )
        );
    }
  }
}

/** The texts of one file, each once, in their order. */
export const textsOf = (path: string, source: string): readonly string[] => {
  const reader = new TextReader(source);
  reader.read(parseAst(source, { lang: path.endsWith(".tsx") ? "tsx" : "ts" }, path).body);
  const inPage = path.startsWith("hosts/web/") || path.startsWith("hosts/cli/");
  const texts = reader.found.map((text) => text.replaceAll(/\s+/g, " ").trim());
  return [...new Set(texts.filter((text) => isForPeople(text, inPage)))];
};

/** Every file of the product's programs, in order. */
export const productPaths = async (): Promise<readonly string[]> => {
  const found = await Promise.all(
    ["adapters-infra", "core", "hosts", "plugins", "ports"].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true }))
        .map((name) => join(folder, name))
        .filter((path) => /\.tsx?$/.test(path) && !/\.d\.ts$|(^|\/)(node_modules|dist)\//.test(path)),
    ),
  );
  return found.flat().sort();
};

/** Their texts, in order. */
export const productTexts = async (paths: readonly string[]): Promise<readonly ProductText[]> => {
  const files = await Promise.all(
    paths.map(async (path) => ({ path, texts: textsOf(path, await readFile(join(root, path), "utf8")) })),
  );
  return files.flatMap(({ path, texts }) => texts.map((text) => ({ path, text })));
};

/** The texts as one page, by folder and file. */
export const wordsPage = (texts: readonly ProductText[]): string => {
  const lines: string[] = [];
  let folder = "";
  let file = "";
  for (const { path, text } of texts) {
    if (dirname(path) !== folder) {
      folder = dirname(path);
      lines.push("", `## ${folder}`);
    }
    if (path !== file) {
      file = path;
      lines.push("", `**${path.slice(folder.length + 1)}**`, "");
    }
    lines.push(`- ${text.replaceAll(/([*_`<>|[\]])/g, "\\$1")}`);
  }
  return `${lines.join("\n").trim()}\n`;
};
