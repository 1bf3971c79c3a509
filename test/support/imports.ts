import { readdir, readFile } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vitest/node";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** An import in a file. */
export interface Import {
  /** The path from the root, such as `core/model/issues/issue.ts`; targets have the same form, packages their name. */
  readonly file: string;
  readonly names: string;
  /** Whether it is erased at compile time. */
  readonly typeOnly: boolean;
}

/** A source file with its imports. */
export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly exportsDefault: boolean;
  /** Exported use cases: of `useCase`, or functions that take the ports they need and return a function of a command. */
  readonly useCases: readonly string[];
  /** How many functions it has, those within others included. */
  readonly functions: number;
}

const folders = ["core", "ports", "adapters-infra", "hosts", "plugins", "test"];
const foreign = new Set(["node_modules", "dist"]);

/** Every TypeScript file of the project, by path. */
export const sourceFiles = async (): Promise<readonly SourceFile[]> => {
  const paths = (await Promise.all(folders.map((folder) => typescriptIn(join(root, folder))))).flat().sort();
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(root, path), "utf8");
      const exportsDefault = /^export (default\b|\{[^}]*\bas default\b)/m.test(text);
      const body = parsed(path, text);
      return {
        path,
        lines: text.split("\n").length - 1,
        imports: importsIn(path, body),
        exportsDefault,
        useCases: useCasesIn(body),
        functions: functionsIn(body),
      };
    }),
  );
};

/** Each program of the product that is not TypeScript, by path. */
export const scriptFiles = async (): Promise<readonly string[]> => {
  const found = await Promise.all(
    [...folders.filter((folder) => folder !== "test"), "scripts"].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true }))
        .filter((name) => /\.m?js$/.test(name) && !name.split("/").some((part) => foreign.has(part)))
        .map((name) => join(folder, name)),
    ),
  );
  return found.flat().sort();
};

const typescriptIn = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return foreign.has(entry.name) ? [] : typescriptIn(path);
      return /\.tsx?$/.test(entry.name) ? [relative(root, path)] : [];
    }),
  );
  return found.flat();
};

interface Node {
  readonly type: string;
  readonly source?: { readonly value?: unknown } | null;
  readonly importKind?: string;
  readonly exportKind?: string;
  readonly specifiers?: readonly { readonly importKind?: string; readonly exportKind?: string }[];
  readonly expression?: { readonly value?: unknown };
}

const parsed = (path: string, text: string): readonly unknown[] =>
  parseAst(text, { lang: languageOf(path) }, path).body;

const languageOf = (path: string) => {
  if (path.endsWith(".d.ts")) return "dts";
  if (/\.m?js$/.test(path)) return "js";
  return path.endsWith(".tsx") ? "tsx" : "ts";
};

/** Imports of every kind: static, dynamic, type-only, inline types, and re-exports. */
export const importsOf = (path: string, text: string): readonly Import[] =>
  importsIn(path, parsed(path, text));

/** The use cases that a file exports. */
export const useCasesOf = (path: string, text: string): readonly string[] => useCasesIn(parsed(path, text));

const importsIn = (path: string, body: readonly unknown[]): readonly Import[] => {
  const imports: Import[] = [];
  const note = (specifier: unknown, typeOnly: boolean) => {
    if (typeof specifier !== "string") return;
    const names = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
    imports.push({ file: path, names, typeOnly });
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const node = value as Node;
    switch (node.type) {
      case "ImportDeclaration":
        note(node.source?.value, node.importKind === "type" || all(node.specifiers, "importKind"));
        return;
      case "ExportNamedDeclaration":
        if (node.source)
          note(node.source.value, node.exportKind === "type" || all(node.specifiers, "exportKind"));
        break;
      case "ExportAllDeclaration":
        note(node.source?.value, node.exportKind === "type");
        return;
      case "ImportExpression":
        note(node.source?.value, false);
        break;
      case "TSImportType":
        note(node.source?.value, true);
        break;
      case "TSExternalModuleReference":
        note(node.expression?.value, false);
        return;
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(body);
  return imports;
};

/** The parameters of each function of a file, as they are written. */
export const parametersOf = (path: string, text: string): readonly (readonly string[])[] => {
  const found: (readonly string[])[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const { type, params = [] } = value as {
      readonly type?: unknown;
      readonly params?: readonly { readonly start: number; readonly end: number }[];
    };
    if (typeof type === "string" && /Function(Expression|Declaration|Type)$/.test(type))
      found.push(params.map(({ start, end }) => text.slice(start, end)));
    for (const child of Object.values(value)) visit(child);
  };
  visit(parsed(path, text));
  return found;
};

/** A function of a file by the name that it is declared with, its length in lines, and the number of its parameters. */
export interface NamedFunction {
  readonly name: string;
  readonly lines: number;
  readonly parameters: number;
  /** Whether it is within no other function, whose length includes its own. */
  readonly outer: boolean;
}

export const functionsOf = (path: string, text: string): readonly NamedFunction[] => {
  const found: NamedFunction[] = [];
  const visit = (value: unknown, name: string, outer: boolean): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, name, outer);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const node = value as Node & {
      readonly start: number;
      readonly end: number;
      readonly id?: Declared["id"];
      readonly key?: Declared["id"];
      readonly params?: readonly unknown[];
    };
    const own = node.id?.name ?? node.key?.name ?? name;
    const isOne = /^(Arrow)?Function(Expression|Declaration)$/.test(node.type);
    if (isOne) {
      const lines = text.slice(node.start, node.end).split("\n").length;
      found.push({ name: own, lines, parameters: node.params?.length ?? 0, outer });
    }
    for (const child of Object.values(node)) visit(child, own, outer && !isOne);
  };
  visit(parsed(path, text), "", true);
  return found;
};

interface Declared {
  readonly id?: { readonly name?: string };
  readonly init?: Expression | null;
}

interface Expression {
  readonly type: string;
  readonly body?: Expression;
  readonly callee?: { readonly name?: string; readonly property?: { readonly name?: string } };
}

const functionsIn = (node: unknown): number => {
  if (typeof node !== "object" || node === null) return 0;
  const inside = Object.values(node).reduce<number>((sum, each) => sum + functionsIn(each), 0);
  const { type } = node as { readonly type?: string };
  return (
    inside + (type !== undefined && /^(ArrowFunction|Function)(Expression|Declaration)$/.test(type) ? 1 : 0)
  );
};

const useCasesIn = (body: readonly unknown[]): readonly string[] =>
  body
    .flatMap(
      (each) =>
        (each as { declaration?: { declarations?: readonly Declared[] } }).declaration?.declarations ?? [],
    )
    .filter(
      ({ init }) =>
        isUseCase(init) ||
        (init?.type === "ArrowFunctionExpression" && (isFunction(init.body) || isUseCase(init.body))),
    )
    .map(({ id }) => id?.name ?? "");

const isFunction = (value: Expression | undefined): boolean =>
  value?.type === "ArrowFunctionExpression" ||
  (value?.type === "CallExpression" && ["fn", "fnUntraced"].includes(value.callee?.property?.name ?? ""));

const isUseCase = (value: Expression | null | undefined): boolean =>
  value?.type === "CallExpression" &&
  ["useCase", "batchedUseCase", "systemUseCase"].includes(value.callee?.name ?? "");

const all = (specifiers: Node["specifiers"], kind: "importKind" | "exportKind"): boolean =>
  specifiers !== undefined && specifiers.length > 0 && specifiers.every((each) => each[kind] === "type");
