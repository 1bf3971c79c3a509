import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { logAction } from "../activity/log-action.ts";
import type { CompanyId, LabelId } from "../shared/ids.ts";
import type { Label } from "./label.ts";

export interface CreateLabel {
  readonly id: LabelId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly name: string;
  readonly color?: string | null | undefined;
}

export const createLabel = (transactor: Transactor, clock: Clock) => (command: CreateLabel) =>
  transactAs(transactor, command.by, function* (stores) {
    const at = clock.now();
    const { id, companyId, by, name, color = null } = command;
    const label: Label = { id, companyId, name, color, createdAt: at };
    yield* stores.labels.insert(label);
    yield* logAction(stores, { companyId, id }, by, at, "label.created", { name });
    return label;
  });
