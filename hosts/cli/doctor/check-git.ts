import type { Check } from "./check.ts";

/** Says whether git of this machine can hold repositories of projects. */
export const checkGit = async (): Promise<Check> => {
  const { gitGap } = await import("../../composition/wiring/open-code-stores.ts");
  const gap = await gitGap();
  return gap === null
    ? { level: "ok", check: "git", message: "can hold repositories of projects" }
    : { level: "warn", check: "git", message: "projects cannot have repositories", hint: gap };
};
