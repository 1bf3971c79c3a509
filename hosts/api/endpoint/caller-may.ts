import { z } from "zod";
import { type ActionNoun, type ActionOf, actions } from "../../../core/model/access/actions.ts";
import { Flag } from "./values.ts";

export const Possible = z.object({
  allowed: z.boolean(),
  code: z.string().optional().describe("Of the refusal."),
  error: z.string().optional().describe("Why not, as a sentence."),
});

/** The actions that the caller may take on a record of the kind. */
export const CallerMayShape = <Noun extends ActionNoun>(noun: Noun) =>
  z
    .object(
      Object.fromEntries(Object.keys(actions[noun]).map((action) => [action, Possible])) as Record<
        ActionOf<Noun>,
        typeof Possible
      >,
    )
    .describe(
      noun === "instance"
        ? "Actions on the service itself that you may take; if not, why the service would refuse."
        : "What you may do with it now; if not, why the service would refuse.",
    );

/** The query of a list whose rows say it on request. */
export const withCallerMay = z.strictObject({
  callerMay: Flag.optional().describe("With what you may do with each."),
});
