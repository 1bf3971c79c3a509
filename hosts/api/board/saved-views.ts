import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  SavedViewNameTaken,
  SavedViewNotFound,
  TooManySavedViews,
} from "../../../core/model/access/saved-view.ts";
import { boardInCompany } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, Name, upTo } from "../endpoint/values.ts";
import { SavedViewShape } from "./board-shapes.ts";

const ViewName = Name.max(100);

export const savedViews = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/saved-views",
    summary: "List your saved views of a company's issues",
    description: "By name. Nobody else sees them.",
    access: boardInCompany("viewer"),
    returns: z.array(SavedViewShape).readonly(),
    run: ({ views }, { companyId }, { caller }) => views.access.savedViews(caller.userId, companyId),
  }),
  save: endpoint({
    method: "PUT",
    path: "/api/companies/{companyId}/saved-views",
    summary: "Save a view of a company's issues under a name",
    description: "Replaces the view that you have by that name, in any case.",
    access: boardInCompany("viewer"),
    body: z.strictObject({
      name: ViewName,
      query: upTo(2_000).describe(
        "The query of the list's address on the board page, such as status=todo&group=assignee.",
      ),
    }),
    returns: SavedViewShape,
    failures: [TooManySavedViews],
    run: ({ access }, input, { caller }) => access.saveView({ ...input, userId: caller.userId }),
  }),
  rename: endpoint({
    method: "PATCH",
    path: "/api/companies/{companyId}/saved-views/{savedViewId}",
    summary: "Give a saved view of yours another name",
    description: "A name of another view of yours, in any case, is a 409.",
    access: boardInCompany("viewer"),
    body: z.strictObject({ name: ViewName }),
    returns: SavedViewShape,
    failures: [SavedViewNotFound, SavedViewNameTaken],
    run: ({ access }, input, { caller }) => access.renameSavedView({ ...input, userId: caller.userId }),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/companies/{companyId}/saved-views/{savedViewId}",
    summary: "Delete a saved view of yours",
    access: boardInCompany("viewer"),
    returns: Done,
    failures: [SavedViewNotFound],
    run: ({ access }, input, { caller }) =>
      access.deleteSavedView({ ...input, userId: caller.userId }).pipe(Effect.as({ ok: true as const })),
  }),
};
