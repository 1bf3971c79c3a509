// Writes the types of the published package: one file for each entry, with every type written out. Our own types are
// derived from the declarations of the interface, and so name zod, effect and much else, which no user of the package
// needs to install.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript5";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = process.argv[2] ?? join(root, "dist", "types");
const entries = { library: "hosts/library/index.ts", plugin: "plugins/kit/plugin.ts" };

const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(
  Object.values(entries).map((path) => join(root, path)),
  { ...options, noEmit: true, incremental: false },
);
const checker = program.getTypeChecker();
const sourceOf = (path) => program.getSourceFile(join(root, path));

/** The record that each named shape describes: it keeps its name where it is written out. */
const records = new Map();
for (const source of program.getSourceFiles()) {
  if (!/\/hosts\/api\/.*-shapes\.ts$/.test(source.fileName)) continue;
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) {
    if (!symbol.name.endsWith("Shape")) continue;
    const schema = checker.getTypeOfSymbol(symbol);
    const internals = schema.getProperty("_zod");
    const output = internals && checker.getTypeOfSymbol(internals).getProperty("output");
    if (!output) continue;
    const type = checker.getTypeOfSymbol(output);
    if (type.flags & ts.TypeFlags.Object && !records.has(type)) records.set(type, symbol.name.slice(0, -5));
  }
}

const isOurs = (declaration) => {
  const { fileName } = declaration.getSourceFile();
  return fileName.startsWith(root) && !fileName.includes("/node_modules/");
};
const isOfLibrary = (symbol) =>
  (symbol?.declarations ?? []).some((each) => program.isSourceFileDefaultLibrary(each.getSourceFile()));
const isOfNode = (symbol) =>
  (symbol?.declarations ?? []).some((each) => each.getSourceFile().fileName.includes("/@types/node/"));

/** A file of declarations while it is written. */
const openFile = (entry) => ({
  exported: checker
    .getExportsOfModule(checker.getSymbolAtLocation(sourceOf(entry)))
    .map((symbol) => [
      symbol.name,
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    ]),
  /** Types that have a name in this file, written once. */
  names: new Map(),
  nodeImports: new Map(),
  /** Named types that are not written yet. */
  waiting: [],
  /** Types that are being written out: one within itself is unknown. */
  stack: new Set(),
});

/** The name of a type in a file: of a record or a type of ours that has no parameters. undefined: it is written out. */
const nameOf = (file, type) => {
  const known = file.names.get(type);
  if (known !== undefined) return known;
  const symbol = type.aliasSymbol ?? type.symbol;
  const record = records.get(type);
  const own =
    symbol !== undefined &&
    symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class) &&
    (type.aliasTypeArguments ?? checker.getTypeArguments?.(type) ?? []).length === 0 &&
    (symbol.declarations ?? []).every((each) => isOurs(each) && (each.typeParameters ?? []).length === 0) &&
    !/^(Plain|Simplify|Input)$/.test(symbol.name) &&
    type.flags & ts.TypeFlags.Object
      ? symbol.name
      : undefined;
  const wanted = record ?? own;
  if (wanted === undefined) return undefined;
  const taken = new Set(file.names.values());
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}${n}`;
  file.names.set(type, name);
  file.waiting.push([name, type]);
  return name;
};

const print = (file, type) => {
  const f = type.flags;
  if (f & ts.TypeFlags.StringLiteral) return JSON.stringify(type.value);
  if (f & ts.TypeFlags.NumberLiteral) return String(type.value);
  if (f & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never | ts.TypeFlags.Void))
    return type.intrinsicName;
  if (f & (ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.BooleanLiteral))
    return type.intrinsicName;
  if (
    f &
    (ts.TypeFlags.String |
      ts.TypeFlags.Number |
      ts.TypeFlags.Boolean |
      ts.TypeFlags.BigInt |
      ts.TypeFlags.NonPrimitive)
  )
    return type.intrinsicName;
  if (type.isUnion()) {
    const parts = type.types.map((each) => print(file, each));
    const both = parts.includes("true") && parts.includes("false");
    const shown = both ? ["boolean", ...parts.filter((part) => part !== "true" && part !== "false")] : parts;
    return [...new Set(shown)].map((part) => (part.includes("=>") ? `(${part})` : part)).join(" | ");
  }
  if (type.isIntersection()) {
    // A branded text is a text to users of the package.
    if (type.types.some((each) => each.flags & ts.TypeFlags.String)) return "string";
    return printObject(file, type);
  }
  if (f & ts.TypeFlags.TemplateLiteral) return "string";
  if (f & ts.TypeFlags.Object) return printObject(file, type);
  throw new Error(`No words for the type ${checker.typeToString(type)}.`);
};

const printObject = (file, type) => {
  if (checker.isTupleType(type)) return printTuple(file, type);
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type);
    const isReadonly = type.symbol?.name === "ReadonlyArray";
    return `${isReadonly ? "Readonly" : ""}Array<${print(file, item)}>`;
  }
  const name = nameOf(file, type);
  if (name !== undefined) return name;
  const symbol = type.symbol;
  if (symbol !== undefined && symbol.name !== "__type" && symbol.name !== "__object" && isOfNode(symbol)) {
    if (symbol.flags & ts.SymbolFlags.Function) return `typeof ${symbol.name}`;
    const module = symbol.parent?.name.replaceAll('"', "");
    // Others are global.
    if (module !== undefined && /^(node:)?[a-z]+(\/[a-z]+)*$/.test(module))
      file.nodeImports.set(symbol.name, `node:${module.replace("node:", "")}`);
    return symbol.name + argumentsOf(file, type);
  }
  if (symbol !== undefined && !symbol.name.startsWith("__") && isOfLibrary(symbol))
    return symbol.flags & ts.SymbolFlags.Function
      ? `typeof ${symbol.name}`
      : symbol.name + argumentsOf(file, type);
  const from = symbol?.declarations?.[0];
  if (from !== undefined && !isOurs(from) && symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))
    throw new Error(`The public types name ${symbol.name} of ${from.getSourceFile().fileName}.`);
  if (file.stack.has(type)) return "unknown";
  file.stack.add(type);
  try {
    const [call, ...more] = type.getCallSignatures();
    const members = membersOf(file, type);
    if (call !== undefined && more.length === 0 && members.length === 0)
      return signatureOf(file, call, " => ");
    return `{ ${[...[call, ...more].filter(Boolean).map((each) => `${signatureOf(file, each, ": ")};`), ...members].join(" ")} }`;
  } finally {
    file.stack.delete(type);
  }
};

const argumentsOf = (file, type) => {
  const given = checker.getTypeArguments(type);
  return given.length === 0 ? "" : `<${given.map((each) => print(file, each)).join(", ")}>`;
};

const printTuple = (file, type) => {
  const { labeledElementDeclarations: labels, elementFlags } = type.target;
  return `[${checker
    .getTypeArguments(type)
    .map((item, at) => {
      const optional = elementFlags[at] & ts.ElementFlags.Optional ? "?" : "";
      const rest = elementFlags[at] & ts.ElementFlags.Rest ? "..." : "";
      const label = labels?.[at]?.name?.getText();
      return label === undefined
        ? `${rest}${print(file, item)}${optional}`
        : `${rest}${label}${optional}: ${print(file, item)}`;
    })
    .join(", ")}]`;
};

const signatureOf = (file, signature, between) => {
  const parameters = signature.getParameters().flatMap((parameter) => {
    const type = checker.getTypeOfSymbol(parameter);
    const declaration = parameter.valueDeclaration;
    const rest = declaration?.dotDotDotToken ? "..." : "";
    const optional = declaration?.questionToken || declaration?.initializer ? "?" : "";
    const name = ts.isIdentifier(declaration?.name ?? parameter) ? parameter.name : "given";
    return [`${rest}${/^\w+$/.test(name) ? name : "given"}${optional}: ${print(file, type)}`];
  });
  return `(${parameters.join(", ")})${between}${print(file, signature.getReturnType())}`;
};

const commentOf = (symbol) => {
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  return comment === "" ? "" : `/** ${comment.replaceAll("*/", "* /").replaceAll(/\s+/g, " ")} */\n`;
};

const membersOf = (file, type) => {
  const members = checker.getPropertiesOfType(type).map((property) => {
    const optional = property.flags & ts.SymbolFlags.Optional ? "?" : "";
    const isReadonly =
      ts.getCheckFlags?.(property) !== undefined
        ? (ts.getDeclarationModifierFlagsFromSymbol?.(property) ?? 0) & ts.ModifierFlags.Readonly
        : 0;
    const key = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : JSON.stringify(property.name);
    const own = checker.getTypeOfSymbol(property);
    return `${commentOf(property)}${isReadonly ? "readonly " : ""}${key}${optional}: ${print(file, own)};`;
  });
  const indexes = checker
    .getIndexInfosOfType(type)
    .map(
      ({ keyType, type: value, isReadonly }) =>
        `${isReadonly ? "readonly " : ""}[key: ${print(file, keyType)}]: ${print(file, value)};`,
    );
  return [...members, ...indexes];
};

/** Declares the types that the entry exports; those that are objects wait for their interfaces. */
const declareTypes = (file) => {
  const lines = [];
  for (const [name, symbol] of file.exported) {
    if (!(symbol.flags & ts.SymbolFlags.Type)) continue;
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    if (symbol.flags & ts.SymbolFlags.Class) continue;
    if (type.flags & ts.TypeFlags.Object && !file.names.has(type)) {
      file.names.set(type, name);
      file.waiting.push([name, type]);
    } else if (!file.names.has(type))
      lines.push(`${commentOf(symbol)}export type ${name} = ${print(file, type)};`);
  }
  return lines;
};

/** Declares the classes and constants that the entry exports. */
const declareValues = (file) =>
  file.exported
    .filter(([, symbol]) => symbol.flags & ts.SymbolFlags.Value)
    .map(([name, symbol]) =>
      symbol.flags & ts.SymbolFlags.Class
        ? declareClass(file, name, symbol)
        : `${commentOf(symbol)}export declare const ${name}: ${print(file, checker.getTypeOfSymbol(symbol))};`,
    );

const declareClass = (file, name, symbol) => {
  const instance = checker.getDeclaredTypeOfSymbol(symbol);
  file.names.set(instance, name);
  const made = checker.getTypeOfSymbol(symbol).getConstructSignatures();
  const base = checker.getBaseTypes(instance)[0]?.symbol.name;
  const inherited = new Set(
    base === undefined
      ? []
      : checker.getPropertiesOfType(checker.getBaseTypes(instance)[0]).map((each) => each.name),
  );
  const own = checker.getPropertiesOfType(instance).filter((each) => !inherited.has(each.name));
  return `${commentOf(symbol)}export declare class ${name}${base === undefined ? "" : ` extends ${base}`} {\n${made
    .map((each) => `constructor${signatureOf(file, each, "\u0000").split("\u0000")[0]};`)
    .join("\n")}\n${own
    .map((each) => `${commentOf(each)}readonly ${each.name}: ${print(file, checker.getTypeOfSymbol(each))};`)
    .join("\n")}\n}`;
};

/** Writes each named type, and those that it names. */
const declareNamed = (file) => {
  const declared = [];
  for (let at = 0; at < file.waiting.length; at++) {
    const [name, type] = file.waiting[at];
    if (type.symbol?.flags & ts.SymbolFlags.Class && file.exported.some(([each]) => each === name)) continue;
    const symbol = type.aliasSymbol ?? type.symbol;
    const members = membersOf(file, type);
    const calls = type.getCallSignatures();
    if (calls.length === 1 && members.length === 0)
      declared.push(`${commentOf(symbol)}export type ${name} = ${signatureOf(file, calls[0], " => ")};`);
    else
      declared.push(
        `${records.has(type) ? "" : commentOf(symbol)}export interface ${name} {\n${[...calls.map((each) => `${signatureOf(file, each, ": ")};`), ...members].join("\n")}\n}`,
      );
  }
  return declared;
};

const importsOf = (file) =>
  [...new Set(file.nodeImports.values())].map(
    (module) =>
      `import type { ${[...file.nodeImports]
        .filter(([, of]) => of === module)
        .map(([name]) => name)
        .join(", ")} } from "${module}";`,
  );

const writeEntry = (entry) => {
  const file = openFile(entry);
  const exported = [...declareTypes(file), ...declareValues(file)];
  const named = declareNamed(file);
  return `${[...importsOf(file), ...named, ...exported].join("\n\n")}\n`;
};

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
for (const [name, entry] of Object.entries(entries))
  await writeFile(join(out, `${name}.d.ts`), writeEntry(entry));
