import * as Effect from "effect/Effect";
import { z } from "zod";
import { LabelNameTaken, LabelNotFound } from "../../../core/model/labels/label.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import type { LabelId } from "../../../core/model/shared/ids.ts";
import { acting, inCompany, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, Name } from "../endpoint/values.ts";
import { LabelShape } from "./label-shapes.ts";

export const labels = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/labels",
    summary: "List the labels of a company",
    description: "By name.",
    access: inCompany("viewer"),
    returns: z.array(LabelShape).readonly(),
    run: ({ views }, { companyId }) => views.issues.labels(companyId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/labels",
    summary: "Create a label",
    description:
      "A name that the company already has, in any case, is a 409. Set it on issues by its id, in labelIds.",
    access: acting("company", "createLabel"),
    body: z.strictObject({
      name: Name.max(100),
      color: z
        .string()
        .regex(/^#[0-9a-fA-F]{6}$/, "must be #rrggbb")
        .nullable()
        .optional()
        .describe("#rrggbb."),
    }),
    returns: LabelShape,
    status: 201,
    failures: [LabelNameTaken, LabelNotFound, TooManyRecords],
    creates: { again: ({ views }, id) => views.issues.label(id as LabelId) },
    run: ({ labels }, input, { by, newId }) => labels.create({ ...input, id: newId<LabelId>(), by }),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/labels/{labelId}",
    summary: "Delete a label and remove it from its issues",
    description: "Cannot be undone. For the board only; no agent is woken.",
    access: verified(acting("company", "deleteLabels", "label")),
    returns: Done,
    failures: [LabelNotFound],
    run: ({ labels }, input, { by }) =>
      labels.delete({ ...input, by }).pipe(Effect.as({ ok: true as const })),
  }),
};
