import { dirname, join } from "node:path";
import { parseAst } from "vitest/node";

/** A node of a syntax tree, as far as this reads it. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Source {
  readonly path: string;
  readonly text: string;
}

/** The fields that a call gets; `isWhole` is false where some of them come from what cannot be followed. */
export interface SentFields {
  readonly fields: ReadonlySet<string>;
  readonly isWhole: boolean;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const partsOf = (node: Node): readonly Node[] =>
  Object.entries(node).flatMap(([name, value]) =>
    name === "parent" || name === "typeAnnotation" ? [] : [value].flat().filter(isNode),
  );

const isFunction = ({ type }: Node): boolean =>
  type === "ArrowFunctionExpression" || type === "FunctionExpression" || type === "FunctionDeclaration";

/** `{ a, b: c, ...rest }` of a pattern, and the place of each name that it binds. */
interface Binding {
  /** The file, and the declaration: a declarator, a function with its parameter, an import. */
  readonly path: string;
  readonly scope: Node;
  readonly from: Node;
  /** The path of properties or elements from the value to the name; `null` ends it with the rest of a value. */
  readonly steps: readonly (string | number | null)[];
  /** Names that the rest leaves out. */
  readonly without: readonly string[];
}

/** Reads which fields the page sends with each call, by following values through the syntax of its files. */
export const sentFields = (sources: readonly Source[]) => {
  const parents = new Map<Node, Node>();
  const files = new Map<string, Node>();
  const pathOf = new Map<Node, string>();
  const all: Node[] = [];
  for (const { path, text } of sources) {
    const program = parseAst(text, { lang: path.endsWith(".tsx") ? "tsx" : "ts" }, path) as unknown as Node;
    files.set(path, program);
    const visit = (node: Node): void => {
      all.push(node);
      pathOf.set(node, path);
      for (const part of partsOf(node)) {
        parents.set(part, node);
        visit(part);
      }
    };
    visit(program);
  }
  /** Calls by the name that is called, tags by their names, and names that are handed on as properties. */
  const named = {
    calls: new Map<string, Node[]>(),
    tags: new Map<string, Node[]>(),
    given: new Map<string, Node[]>(),
  };
  const index = (of: Map<string, Node[]>, name: unknown, node: Node) =>
    of.set(String(name), [...(of.get(String(name)) ?? []), node]);
  for (const node of all) {
    if (node.type === "CallExpression") {
      const callee = node.callee as Node;
      const target = callee.type === "MemberExpression" ? (callee.object as Node) : callee;
      if (target.type === "Identifier") index(named.calls, target.name, node);
    }
    if (node.type === "JSXOpeningElement") index(named.tags, (node.name as Node).name, node);
    if (node.type === "JSXExpressionContainer" && (node.expression as Node).type === "Identifier")
      index(named.given, (node.expression as Node).name, node);
  }
  const above = function* (node: Node): Iterable<Node> {
    for (let each = parents.get(node); each !== undefined; each = parents.get(each)) yield each;
  };

  const namesIn = (
    pattern: Node,
    steps: Binding["steps"],
  ): readonly {
    readonly name: string;
    readonly steps: Binding["steps"];
    readonly without: readonly string[];
  }[] => {
    switch (pattern.type) {
      case "Identifier":
        return [{ name: String(pattern.name), steps, without: [] }];
      case "AssignmentPattern":
        return namesIn(pattern.left as Node, steps);
      case "ObjectPattern": {
        const properties = pattern.properties as readonly Node[];
        const ownKeys = properties.flatMap(({ key }) => (isNode(key) ? [String(key.name)] : []));
        return properties.flatMap((property) =>
          property.type === "RestElement"
            ? [{ name: String((property.argument as Node).name), steps: [...steps, null], without: ownKeys }]
            : namesIn(property.value as Node, [...steps, String((property.key as Node).name)]),
        );
      }
      case "ArrayPattern":
        return (pattern.elements as readonly (Node | null)[]).flatMap((element, at) =>
          element === null ? [] : namesIn(element, [...steps, at]),
        );
      default:
        return [];
    }
  };

  /** The declaration that a name stands for where it is used. */
  const bindingOf = (identifier: Node): Binding | null => {
    const name = String(identifier.name);
    const path = pathOf.get(identifier)!;
    for (const scope of above(identifier)) {
      if (isFunction(scope))
        for (const [at, parameter] of (scope.params as readonly Node[]).entries()) {
          const found = namesIn(parameter, [at]).find((each) => each.name === name);
          if (found !== undefined) return { path, scope, from: scope, ...found };
        }
      if (scope.type !== "BlockStatement" && scope.type !== "Program") continue;
      for (const statement of scope.body as readonly Node[]) {
        const declared =
          statement.type === "ExportNamedDeclaration" ? (statement.declaration as Node | null) : statement;
        if (declared?.type === "FunctionDeclaration" && (declared.id as Node).name === name)
          return { path, scope, from: declared, steps: [], without: [] };
        if (statement.type === "ImportDeclaration")
          for (const specifier of statement.specifiers as readonly Node[])
            if ((specifier.local as Node).name === name) return imported(path, statement, specifier);
        if (declared?.type !== "VariableDeclaration") continue;
        for (const declarator of declared.declarations as readonly Node[]) {
          const found = namesIn(declarator.id as Node, []).find((each) => each.name === name);
          if (found !== undefined && isNode(declarator.init))
            return { path, scope, from: declarator.init, steps: found.steps, without: found.without };
        }
      }
    }
    return null;
  };
  /** A name, looked up from a place. */
  const nameAt = (place: Node, name: string): Node => {
    const identifier: Node = { type: "Identifier", name };
    parents.set(identifier, place);
    pathOf.set(identifier, pathOf.get(place)!);
    return identifier;
  };
  const imported = (path: string, statement: Node, specifier: Node): Binding | null => {
    const target = join(dirname(path), String((statement.source as Node).value));
    const program = files.get(target);
    const name = (specifier.imported as Node | undefined)?.name;
    if (program === undefined || name === undefined) return null;
    return bindingOf(nameAt(program, String(name)));
  };

  const functionOf = (callee: Node): Node | null => {
    if (isFunction(callee)) return callee;
    if (callee.type !== "Identifier") return null;
    const binding = bindingOf(callee);
    if (binding === null || binding.steps.length > 0) return null;
    if (isFunction(binding.from)) return binding.from;
    // useCallback((…) => …)
    const [first] = (binding.from.arguments as readonly Node[] | undefined) ?? [];
    return first !== undefined && isFunction(first) ? first : null;
  };

  /** The objects and functions that a value may be, or null where it cannot be followed. */
  const valuesOf = (value: Node, depth = 0): readonly Node[] | null => {
    const all = (values: readonly Node[] | null): readonly Node[] | null => {
      const found = (values ?? []).map((each) => valuesOf(each, depth + 1));
      return values === null || found.includes(null) ? null : found.flatMap((each) => each ?? []);
    };
    if (depth > 20) return null;
    switch (value.type) {
      case "ObjectExpression":
        return [value];
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "ParenthesizedExpression":
        return valuesOf(value.expression as Node, depth + 1);
      case "CallExpression": {
        const called = valuesOf(value.callee as Node, depth + 1);
        return called?.every(isFunction) ? all(called.flatMap(returnsOf)) : null;
      }
      case "MemberExpression": {
        const { object, property, computed } = value as unknown as {
          object: Node;
          property: Node;
          computed: boolean;
        };
        const holders = valuesOf(object, depth + 1);
        if (holders === null || holders.some(({ type }) => type !== "ObjectExpression")) return null;
        const properties = holders.flatMap((each) => each.properties as readonly Node[]);
        return all(
          properties
            .filter(({ key }) => computed || (isNode(key) && key.name === property.name))
            .map((each) => each.value as Node),
        );
      }
      case "Identifier": {
        const binding = bindingOf(value);
        if (binding === null) return null;
        const { from, steps } = binding;
        if (!isFunction(from) || steps.length === 0) return all(stepped(from, steps));
        const given = argumentsOf(from, Number(steps[0]));
        const ends = given?.map((each) => stepped(each, steps.slice(1))) ?? [null];
        return ends.includes(null) ? null : all(ends.flatMap((each) => each ?? []));
      }
      default:
        return isFunction(value) ? [value] : null;
    }
  };

  /** The strings in an array that a file writes out, or the names of an object's properties; null: something else. */
  const stringsIn = (array: Node): readonly string[] | null => {
    switch (array.type) {
      case "ArrayExpression": {
        const found = (array.elements as readonly Node[]).map(({ type, value }) =>
          type === "Literal" && typeof value === "string" ? value : null,
        );
        return found.includes(null) ? null : (found as string[]);
      }
      case "TSAsExpression":
      case "TSSatisfiesExpression":
        return stringsIn(array.expression as Node);
      case "Identifier": {
        const binding = bindingOf(array);
        return binding === null || binding.steps.length > 0 ? null : stringsIn(binding.from);
      }
      case "CallExpression": {
        const { object, property } = array.callee as unknown as { object?: Node; property?: Node };
        if (property?.name === "filter") return stringsIn(object!);
        const [first] = array.arguments as readonly Node[];
        if (property?.name !== "keys" || first === undefined) return null;
        const [keyed, ...others] = valuesOf(first) ?? [];
        if (keyed?.type !== "ObjectExpression" || others.length > 0) return null;
        return (keyed.properties as readonly Node[]).map(({ key }) => String((key as Node).name));
      }
      default:
        return null;
    }
  };

  /** The strings that a name may stand for: those of its type, or of the array that it goes through. */
  const stringsOf = (value: Node): readonly string[] | null => {
    if (value.type === "Literal") return [String(value.value)];
    const binding = value.type === "Identifier" ? bindingOf(value) : null;
    if (binding === null) return null;
    const { from, steps } = binding;
    if (from.type === "CallExpression" && (from.callee as Node).name === "useState" && steps[0] === 0) {
      const [type] = ((from.typeArguments as Node | null)?.params as readonly Node[] | undefined) ?? [];
      return type === undefined ? null : literalsOf(type, binding.path);
    }
    const call = isFunction(from) ? parents.get(from) : undefined;
    const callee = call?.callee as Node | undefined;
    const isOfEach = steps.length === 1 && steps[0] === 0 && callee?.type === "MemberExpression";
    return isOfEach ? stringsIn(callee.object as Node) : null;
  };

  /** A type by its name in a file, and the file that declares it. */
  const typeNamed = (name: string, path: string): { readonly type: Node; readonly path: string } | null => {
    for (const statement of (files.get(path)?.body ?? []) as readonly Node[]) {
      const declared =
        statement.type === "ExportNamedDeclaration" ? (statement.declaration as Node | null) : statement;
      if (/^TS(TypeAlias|Interface)Declaration$/.test(declared?.type ?? ""))
        if ((declared!.id as Node).name === name) return { type: declared!, path };
      if (statement.type !== "ImportDeclaration") continue;
      for (const { local, imported } of statement.specifiers as readonly { local: Node; imported?: Node }[])
        if (local.name === name && imported !== undefined)
          return typeNamed(
            String(imported.name),
            join(dirname(path), String((statement.source as Node).value)),
          );
    }
    return null;
  };

  /** The strings of a type: a literal, a union, or `(typeof names)[number]`. */
  const literalsOf = (type: Node, path: string): readonly string[] | null => {
    if (type.type === "TSLiteralType") return [String((type.literal as Node).value)];
    if (type.type === "TSUnionType") {
      const found = (type.types as readonly Node[]).map((each) => literalsOf(each, path));
      return found.includes(null) ? null : found.flatMap((each) => each ?? []);
    }
    if (type.type !== "TSIndexedAccessType") return null;
    const object = type.objectType as Node;
    const query = object.type === "TSParenthesizedType" ? (object.typeAnnotation as Node) : object;
    const name = query.type === "TSTypeQuery" ? (query.exprName as Node).name : undefined;
    return name === undefined ? null : stringsIn(nameAt(files.get(path)!, String(name)));
  };

  /** The fields of a type that picks them one by one, `Pick<…, "a" | "b">`; null: of another type. */
  const pickedIn = (type: Node, path: string): readonly string[] | null => {
    if (type.type === "TSTypeAliasDeclaration") return pickedIn(type.typeAnnotation as Node, path);
    if (type.type !== "TSTypeReference") return null;
    const name = String((type.typeName as Node).name);
    if (name === "Pick")
      return literalsOf(((type.typeArguments as Node).params as readonly Node[])[1]!, path);
    const found = typeNamed(name, path);
    return found === null ? null : pickedIn(found.type, found.path);
  };

  const returnsOf = (made: Node): readonly Node[] => {
    const body = made.body as Node;
    if (body.type !== "BlockStatement") return [body];
    const found: Node[] = [];
    const visit = (node: Node): void => {
      if (isFunction(node)) return;
      if (node.type === "ReturnStatement" && isNode(node.argument)) found.push(node.argument);
      for (const part of partsOf(node)) visit(part);
    };
    for (const statement of body.body as readonly Node[]) visit(statement);
    return found;
  };

  /** The values that a parameter gets: of calls by its function's name, and of calls of the property that it is given as. */
  const argumentsOf = (made: Node, at: number): readonly Node[] | null => {
    const holder = parents.get(made);
    const passed: Node[] = [];
    const isCalled = (callee: Node) =>
      callee.type === "Identifier" && (functionOf(callee) === made || valuesOf(callee, 15)?.includes(made));
    if (holder?.type === "VariableDeclarator" || made.type === "FunctionDeclaration") {
      const name = String(((holder?.type === "VariableDeclarator" ? holder.id : made.id) as Node).name);
      for (const call of named.calls.get(name) ?? [])
        if (isCalled(call.callee as Node)) passed.push((call.arguments as readonly Node[])[at] ?? call);
      if (at === 0)
        for (const tag of named.tags.get(name) ?? [])
          if (functionOf(nameAt(tag, name)) === made) passed.push(tag);
      // Handed on as it is: `onChange={change}`.
      for (const given of named.given.get(name) ?? []) {
        if (!isCalled(given.expression as Node)) continue;
        const calls = callsOfProperty(parents.get(given)!, at);
        if (calls === null) return null;
        passed.push(...calls);
      }
      return passed;
    }
    // The input that a write was called with says nothing new.
    const isOfWrite =
      holder?.type === "Property" && /^on(Done|Refused)$/.test(String((holder.key as Node).name));
    if (isOfWrite && at === 1) return [];
    return holder?.type === "JSXExpressionContainer" ? callsOfProperty(parents.get(holder)!, at) : null;
  };

  /** The arguments that a component gives a function that it gets as a property. */
  const callsOfProperty = (attribute: Node, at: number): readonly Node[] | null => {
    const element = parents.get(attribute);
    if (attribute.type !== "JSXAttribute" || element?.type !== "JSXOpeningElement") return null;
    const component = functionOf(nameAt(element, String((element.name as Node).name)));
    if (component === null) return null;
    const property = String((attribute.name as Node).name);
    const found = (named.calls.get(property) ?? []).filter(
      (call) => (call.callee as Node).type === "Identifier" && [...above(call)].includes(component),
    );
    return found.length === 0 ? null : found.map((call) => (call.arguments as readonly Node[])[at] ?? call);
  };

  interface Reading {
    readonly fields: Set<string>;
    isWhole: boolean;
    readonly seen: Set<Node>;
  }

  const lose = (reading: Reading): void => {
    reading.isWhole = false;
  };

  /** The value at the end of some steps into a value, or null where it cannot be followed. */
  const stepped = (value: Node, steps: Binding["steps"]): readonly Node[] | null => {
    if (steps.length === 0) return [value];
    const [step, ...rest] = steps;
    if (value.type === "CallExpression" && step === 0) {
      const callee = value.callee as Node;
      const [first] = value.arguments as readonly Node[];
      if (callee.name === "useState" && first !== undefined)
        return (isFunction(first) ? returnsOf(first) : [first]).flatMap((each) => stepped(each, rest) ?? []);
    }
    if (value.type === "CallExpression") {
      const made = functionOf(value.callee as Node);
      if (made === null) return null;
      const ends = returnsOf(made).map((each) => stepped(each, steps));
      return ends.some((each) => each === null) ? null : ends.flatMap((each) => each ?? []);
    }
    if (value.type === "JSXOpeningElement" && typeof step === "string") {
      const attribute = (value.attributes as readonly Node[]).find(
        (each) => each.type === "JSXAttribute" && (each.name as Node).name === step,
      );
      const given = attribute?.value as Node | undefined;
      // Not given.
      if (
        attribute === undefined &&
        (value.attributes as readonly Node[]).every(({ type }) => type === "JSXAttribute")
      )
        return [];
      return given?.type === "JSXExpressionContainer" ? stepped(given.expression as Node, rest) : null;
    }
    if (value.type === "ObjectExpression" && typeof step === "string") {
      const property = (value.properties as readonly Node[]).find(
        (each) => each.type === "Property" && (each.key as Node).name === step,
      );
      return property === undefined ? null : stepped(property.value as Node, rest);
    }
    if (value.type === "Identifier") {
      const binding = bindingOf(value);
      if (binding === null || isFunction(binding.from)) return null;
      return stepped(binding.from, [...binding.steps, ...steps]);
    }
    return null;
  };

  const readBinding = (binding: Binding, reading: Reading): void => {
    const { steps, without } = binding;
    const isRest = steps.at(-1) === null;
    const path = isRest ? steps.slice(0, -1) : steps;
    const take = (values: readonly Node[] | null) => {
      if (values === null) {
        lose(reading);
        return;
      }
      const inner: Reading = { fields: new Set(), isWhole: true, seen: reading.seen };
      for (const value of values) read(value, inner);
      if (!inner.isWhole) lose(reading);
      for (const field of inner.fields) if (!isRest || !without.includes(field)) reading.fields.add(field);
    };
    if (!isFunction(binding.from)) {
      take(stepped(binding.from, path));
      return;
    }
    const [at, ...further] = path;
    // A type that names each field says which a parameter has.
    const annotation = ((binding.from.params as readonly Node[])[Number(at)]?.typeAnnotation as Node | null)
      ?.typeAnnotation as Node | undefined;
    const picked = annotation === undefined || further.length > 0 ? null : pickedIn(annotation, binding.path);
    if (picked !== null) {
      for (const field of picked) reading.fields.add(field);
      return;
    }
    const given = argumentsOf(binding.from, Number(at));
    if (given === null) {
      lose(reading);
      return;
    }
    const ends = given.map((each) => stepped(each, further));
    if (ends.some((each) => each === null)) lose(reading);
    take(ends.flatMap((each) => each ?? []));
  };

  /** Notes the names of the properties that a value has. */
  const read = (node: Node, reading: Reading): void => {
    if (reading.seen.has(node)) return;
    reading.seen.add(node);
    switch (node.type) {
      case "ObjectExpression":
        for (const property of node.properties as readonly Node[]) {
          if (property.type === "SpreadElement") read(property.argument as Node, reading);
          else if (property.computed === true) {
            const names = stringsOf(property.key as Node);
            if (names === null) lose(reading);
            for (const name of names ?? []) reading.fields.add(name);
          } else {
            const key = property.key as Node;
            reading.fields.add(String(key.name ?? key.value));
          }
        }
        return;
      case "ConditionalExpression":
        read(node.consequent as Node, reading);
        read(node.alternate as Node, reading);
        return;
      case "LogicalExpression":
        read(node.right as Node, reading);
        if (node.operator !== "&&") read(node.left as Node, reading);
        return;
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "ParenthesizedExpression":
        read(node.expression as Node, reading);
        return;
      case "Literal":
        return;
      case "CallExpression": {
        const callee = node.callee as Node;
        const method = callee.type === "MemberExpression" ? String((callee.property as Node).name) : "";
        // Of an object: Object.assign, Object.fromEntries and Object.entries keep names; so does filtering the entries.
        if (["assign", "fromEntries", "entries"].includes(method)) {
          for (const each of node.arguments as readonly Node[])
            read(each.type === "SpreadElement" ? (each.argument as Node) : each, reading);
          return;
        }
        // Of a list: entries with their names, or objects that are joined.
        const [mapped] = node.arguments as readonly Node[];
        if (method === "map" && isFunction(mapped!)) {
          for (const each of returnsOf(mapped!)) {
            const [name] = (each.elements as readonly Node[] | undefined) ?? [];
            const names = name === undefined ? null : stringsOf(name);
            if (names === null) read(each, reading);
            for (const field of names ?? []) reading.fields.add(field);
          }
          return;
        }
        if (method === "filter") {
          read(callee.object as Node, reading);
          return;
        }
        const made = functionOf(callee);
        const called = made === null ? valuesOf(callee) : [made];
        if (!called?.every(isFunction)) {
          lose(reading);
          return;
        }
        for (const each of called.flatMap(returnsOf)) read(each, reading);
        return;
      }
      case "MemberExpression": {
        const ends =
          node.computed === true
            ? null
            : stepped(node.object as Node, [String((node.property as Node).name)]);
        if (ends === null) {
          lose(reading);
          return;
        }
        for (const each of ends) read(each, reading);
        return;
      }
      case "Identifier": {
        if (node.name === "undefined") return;
        const binding = bindingOf(node);
        if (binding === null) lose(reading);
        else readBinding(binding, reading);
        return;
      }
      default:
        lose(reading);
    }
  };

  const fieldsIn = (inputs: readonly Node[]): SentFields => {
    const reading: Reading = { fields: new Set(), isWhole: true, seen: new Set() };
    for (const input of inputs) read(input, reading);
    return { fields: reading.fields, isWhole: reading.isWhole };
  };

  /** The inputs of a write: what its `run` and `runAndWait` get. */
  const inputsOfWrite = (made: Node): readonly Node[] | null => {
    const declarator = parents.get(made);
    if (declarator?.type !== "VariableDeclarator" || (declarator.id as Node).type !== "Identifier")
      return null;
    const found = (named.calls.get(String((declarator.id as Node).name)) ?? []).filter((call) => {
      const callee = call.callee as Node;
      return (
        callee.type === "MemberExpression" &&
        ["run", "runAndWait"].includes(String((callee.property as Node).name)) &&
        bindingOf(callee.object as Node)?.from === made
      );
    });
    return found.map((call) => (call.arguments as readonly Node[])[0]!);
  };

  const inputs = new Map<string, (readonly Node[] | null)[]>();
  const note = (name: string, found: readonly Node[] | null) =>
    inputs.set(name, [...(inputs.get(name) ?? []), found]);
  for (const node of all) {
    if (node.type !== "CallExpression") continue;
    const callee = node.callee as Node;
    const [first, second] = node.arguments as readonly Node[];
    if (callee.type === "MemberExpression" && (callee.object as Node).type === "MemberExpression") {
      const { object, property } = callee.object as unknown as { object: Node; property: Node };
      if (["client", "once"].includes(String(object.name)))
        note(`${property.name}.${(callee.property as Node).name}`, first === undefined ? [] : [first]);
    }
    if (callee.type !== "Identifier" || first?.type !== "Literal" || !/^\w+\.\w+$/.test(String(first.value)))
      continue;
    const name = String(first.value);
    if (["call", "useRead", "usePages"].includes(String(callee.name)))
      note(name, second === undefined ? [] : [second]);
    if (["useWrite", "useFinalWrite"].includes(String(callee.name))) note(name, inputsOfWrite(node));
  }
  return new Map(
    [...inputs].map(([name, found]): [string, SentFields] => {
      const read = fieldsIn(found.flatMap((each) => each ?? []));
      return [name, { fields: read.fields, isWhole: read.isWhole && !found.includes(null) }];
    }),
  );
};
