import { wakeCauses } from "../../../../core/model/runs/wake-cause.ts";

const causes: Readonly<Record<string, string | undefined>> = wakeCauses;

/** Why a run began, in words; the name itself of a reason that this page does not know yet. */
export const wakeCause = (wakeReason: string): string =>
  causes[wakeReason] ?? wakeReason.replaceAll("_", " ");
