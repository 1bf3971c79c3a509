import { z } from "zod";
import type { Endpoint } from "../../api/endpoint/endpoint.ts";
import { paramNames, pathParams } from "../../api/endpoint/params.ts";
import { endpoints } from "../../api/index.ts";
import { type ShapeName, shapes } from "../nouns/shapes.ts";
import type { EndpointCommand } from "./endpoint-command.ts";
import { fieldsOf } from "./fields-of.ts";

const shapeNames = new Map<z.ZodType, ShapeName>(
  Object.entries(shapes).map(([name, shape]) => [shape, name as ShapeName]),
);

/** Gives the shape of a list's rows; null if the answer is not a list. */
const rowShape = (shape: z.ZodType): z.ZodType | null => {
  if (shape instanceof z.ZodReadonly) return rowShape(shape.unwrap() as z.ZodType);
  return shape instanceof z.ZodArray ? (shape.element as z.ZodType) : null;
};

const answerOf = ({ returns }: Endpoint): Pick<EndpointCommand, "isList" | "shape"> => {
  const row = rowShape(returns);
  return { isList: row !== null, shape: shapeNames.get(row ?? returns) ?? null };
};

/**
 * One command for each endpoint. It imports the declarations, whose schemas take longer to load than a command takes to
 * run: a build puts the table in place of this module.
 */
export const declaredCommands: readonly EndpointCommand[] = endpoints
  // Other programs call a webhook and sign its raw body.
  .filter(({ endpoint }) => endpoint.raw === undefined)
  .map(({ name, group, action, endpoint }) => ({
    name,
    group,
    action,
    summary: endpoint.summary,
    description: endpoint.description ?? null,
    params: paramNames(endpoint.path).map((param) => ({ name: param, help: pathParams[param].help })),
    fields: fieldsOf(endpoint),
    takesCompany: "companyId" in endpoint.query.shape,
    creates: endpoint.creates !== null,
    media: endpoint.media,
    ...answerOf(endpoint),
  }));
