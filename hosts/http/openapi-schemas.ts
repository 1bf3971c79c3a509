import { z } from "zod";
import { shapes } from "../api/shapes.ts";

export type Json = Record<string, unknown>;

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const withoutId = ({ id: _, ...schema }: Json): Json => schema;

/** Writes schemas, and collects the named ones. */
export class Schemas {
  readonly components: Record<string, unknown> = {};
  readonly #names = new Map([...shapes].map(([name, shape]) => [shape, name]));

  constructor() {
    for (const [name, shape] of shapes)
      z.globalRegistry.add(shape, { ...z.globalRegistry.get(shape), id: name });
    for (const [name, shape] of shapes) {
      const written = this.#written(shape, "output", name);
      // A recursive schema is already written under its name.
      if (written.$ref === undefined) this.components[name] = written;
    }
  }

  of(schema: z.ZodType, io: "input" | "output", within: string): Json {
    const name = this.#names.get(schema);
    return name === undefined ? this.#written(schema, io, within) : ref(name);
  }

  /** Names an object that has no name. */
  named(schema: z.ZodType, io: "input" | "output", name: string): Json {
    const written = this.of(schema, io, name);
    if (written.type !== "object" || written.properties === undefined) return written;
    this.components[name] = written;
    return ref(name);
  }

  /** Moves a schema's own definitions to the components, because references start at the document's root. */
  #written(schema: z.ZodType, io: "input" | "output", within: string): Json {
    const {
      $schema: _,
      id: __,
      ...json
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      target: "draft-2020-12",
    });
    const nameOf = (definition: string) =>
      shapes.has(definition) ? definition : `${within}.${definition.replace(/^_+/, "")}`;
    return JSON.parse(JSON.stringify(json), (key, value) => {
      if (key === "$ref" && typeof value === "string")
        return value === "#"
          ? `#/components/schemas/${within}`
          : value.replace(/^#\/\$defs\/(.+)$/, (_, name: string) => `#/components/schemas/${nameOf(name)}`);
      if (typeof value !== "object" || value === null || !("$defs" in value)) return value;
      const { $defs, ...rest } = value as { $defs: Record<string, Json> };
      for (const [name, definition] of Object.entries($defs))
        if (!shapes.has(name) || name === within) this.components[nameOf(name)] = withoutId(definition);
      return rest;
    }) as Json;
  }
}
