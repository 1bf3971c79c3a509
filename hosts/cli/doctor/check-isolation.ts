import type { Terminal } from "../terminal.ts";
import type { Check, Health } from "./check.ts";

/** Says how far agents are separated. */
export const checkSeparation = (found: Health["separation"], of: string | null): Check => {
  const check = "agents";
  const whose = of === null ? "" : ` (${of})`;
  if (found === undefined)
    return { level: "warn", check, message: "only instance admins can see how agents are sandboxed" };
  const { level, gaps } = found;
  return level === "separated"
    ? { level: "ok", check, message: `sandboxed${whose}` }
    : { level: "warn", check, message: `${separationTexts[level]}${whose}`, hint: gaps.join(" ") };
};

/** Reports what enforces the limits of runs. */
export const checkLimits = (gap: string | null, of: string | null): Check => {
  const whose = of === null ? "" : ` (${of})`;
  const message =
    gap === null
      ? `the kernel keeps those of each run${whose}`
      : `memory is limited by samples, and processes only in the sandbox${whose}. ${gap}`;
  return { level: "ok", check: "limits", message };
};

/** Detects the isolation that a start with this environment would have. */
export const checkNextStart = async (env: Terminal["env"]): Promise<readonly Check[]> => {
  const [{ readConfig }, { detectLimitsUnavailableReason, detectSeparation }] = await Promise.all([
    import("../../composition/config.ts"),
    import("../../composition/wiring/sandbox.ts"),
  ]);
  try {
    const of = "of the next start";
    const found = await detectSeparation(readConfig(env));
    return [checkSeparation(found.separation, of), checkLimits(detectLimitsUnavailableReason(), of)];
  } catch (error) {
    return [{ level: "fail", check: "settings", message: (error as Error).message }];
  }
};

const separationTexts = {
  partly: "partly sandboxed",
  not: "not separated from the service: they can read its keys and database",
} as const;
