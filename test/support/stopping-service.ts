import { parseArgs } from "node:util";
import { z } from "zod";
import { serve } from "../../hosts/http/main.ts";
import {
  crashPoints,
  handoverCrashPoints,
  mergeCrashPoints,
  messageCrashPoints,
  rotationCrashPoints,
  stoppingParts,
} from "./crash-points.ts";

/**
 * `boardroom serve` that suspends itself at a point of a run, a merge or a change of the master key. Built by
 * `stopping-program.ts`.
 */
const { values } = parseArgs({
  allowPositionals: true,
  options: { role: { type: "string", default: "all" } },
});
const { STOP_AT, STOP_MESSAGE_AT, STOP_HANDOVER_AT, STOP_MERGE_AT, STOP_ROTATION_AT } = z
  .object({
    STOP_AT: z.enum(crashPoints).optional(),
    STOP_MESSAGE_AT: z.enum(messageCrashPoints).optional(),
    STOP_HANDOVER_AT: z.enum(handoverCrashPoints).optional(),
    STOP_MERGE_AT: z.enum(mergeCrashPoints).optional(),
    STOP_ROTATION_AT: z.enum(rotationCrashPoints).optional(),
  })
  .parse(process.env);
await serve({
  role: z.enum(["api", "worker", "all"]).parse(values.role),
  assembly: {
    replaceParts: stoppingParts({
      crashAt: STOP_AT ?? null,
      crashMessageAt: STOP_MESSAGE_AT ?? null,
      crashHandoverAt: STOP_HANDOVER_AT ?? null,
      crashMergeAt: STOP_MERGE_AT ?? null,
      crashRotationAt: STOP_ROTATION_AT ?? null,
    }),
  },
});
