import { requireRoom } from "../../access/require-room.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Label } from "../../model/labels/label.ts";
import type { CompanyId, LabelId } from "../../model/shared/ids.ts";

export interface CreateLabel {
  readonly id: LabelId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly name: string;
  readonly color?: string | null | undefined;
}

export const createLabel = useCase("labels.create", function* (unit, command: CreateLabel) {
  const { id, companyId, name, color = null } = command;
  yield* requireRoom(unit, "labels", companyId, companyId);
  const label: Label = { id, companyId, name, color, createdAt: unit.at };
  yield* unit.labels.insert(label);
  yield* unit.log("label.created", label, { name });
  return label;
});
