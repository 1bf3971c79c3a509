import { wakeReasons } from "../../../../core/model/runs/wake-reason.ts";

const rules: Readonly<Record<string, { readonly cause: string } | undefined>> = wakeReasons;

/** Why a run began, in words; the name itself of a reason that this page does not know yet. */
export const wakeCause = (wakeReason: string): string =>
  rules[wakeReason]?.cause ?? wakeReason.replaceAll("_", " ");
