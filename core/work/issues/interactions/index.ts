import type { UseCaseContext } from "../../../access/unit-of-work.ts";
import { acceptInteraction } from "./accept-interaction.ts";
import { addActions } from "./add-actions.ts";
import { cancelInteraction } from "./cancel-interaction.ts";
import { createInteraction } from "./create-interaction.ts";
import { rejectInteraction } from "./reject-interaction.ts";
import { respondToInteraction } from "./respond-to-interaction.ts";

/** The use cases of interactions. */
export const interactions = (context: UseCaseContext) => ({
  addActions: addActions(context),
  create: createInteraction(context),
  accept: acceptInteraction(context),
  reject: rejectInteraction(context),
  respond: respondToInteraction(context),
  cancel: cancelInteraction(context),
});
