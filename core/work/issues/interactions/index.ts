import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { acceptInteraction } from "./accept-interaction.ts";
import { addActions } from "./add-actions.ts";
import { cancelInteraction } from "./cancel-interaction.ts";
import { createInteraction } from "./create-interaction.ts";
import { rejectInteraction } from "./reject-interaction.ts";
import { respondToInteraction } from "./respond-to-interaction.ts";

/** The use cases of interactions. */
export const interactions = (transactor: Transactor, clock: Clock, ids: Ids) => ({
  addActions: addActions(transactor),
  create: createInteraction(transactor, clock),
  accept: acceptInteraction(transactor, clock, ids),
  reject: rejectInteraction(transactor, clock, ids),
  respond: respondToInteraction(transactor, clock, ids),
  cancel: cancelInteraction(transactor, clock, ids),
});
