import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { UserRange } from "../../ports/sandbox.ts";
import { isAmong } from "./agent-users.ts";
import { attempt } from "./attempt.ts";

/** Where coding CLIs keep their sign-in below HOME, by the adapter that starts them. */
const signInFiles: ReadonlyMap<string, string> = new Map([
  ["adapter_a_local", ".claude/.credentials.json"],
  ["adapter_b_local", ".codex/auth.json"],
  ["adapter_c_local", ".local/share/opencode/auth.json"],
]);

/**
 * Sentences about sign-ins in the home of the service's user, by adapter: agents have homes of their own, and before an
 * upgrade they may have had this one.
 */
export const unseenSignIns = (
  serviceHome: string | undefined,
  users: UserRange | null,
): ReadonlyMap<string, string> => {
  const owner = serviceHome === undefined ? undefined : attempt(() => statSync(serviceHome).uid);
  if (serviceHome === undefined || (users !== null && isAmong(users, owner ?? -1))) return new Map();
  return new Map(
    [...signInFiles]
      .filter(([, file]) => existsSync(join(serviceHome, file)))
      .map(([adapter, file]) => [
        adapter,
        `Agents do not see ${file} in ${serviceHome}: their HOME is homes/<companyId> in the data directory. Sign in there as their user, or give them a key as a secret.`,
      ]),
  );
};
