import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import type { GrantedPath } from "../../core/model/agents/named-paths.ts";
import type { AgentId, CompanyId } from "../../core/model/shared/ids.ts";
import { checkPaths } from "../../core/staff/agents/check-paths.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Stores } from "../../ports/transactor.ts";

/** How often a check of so many paths reads a grant, and asks for the rules of a path. */
const operationsOf = async (paths: number, isAdmin: boolean) => {
  const counted = { grants: 0, rules: 0 };
  const args = Array.from({ length: paths }, (_, n) => `/srv/data/${n}`);
  const granted = args.map(
    (path): GrantedPath => ({
      get path() {
        counted.grants += 1;
        return path;
      },
      access: "read",
      real: path,
    }),
  );
  const rule = <Value>(value: Value): Value => {
    counted.rules += 1;
    return value;
  };
  const hostPaths = {
    classify: () => rule({ kind: "elsewhere", isPrivate: false }),
    normal: (path: string) => rule(path),
    resolve: (path: string) => Effect.succeed(rule({ path, real: path })),
  };
  const runners = { usual: "local", get: () => ({ paths: hostPaths }) } as unknown as Runners;
  const stores = {
    companies: { status: () => Effect.succeed({ runner: null }) },
    access: { findPerson: () => Effect.succeed({ admin: isAdmin, disabledAt: null }) },
  } as unknown as Stores;
  const config = { command: "true", args };
  const grants = await Effect.runPromise(
    checkPaths(stores, runners, {
      companyId: "c" as CompanyId,
      agentId: "a" as AgentId,
      runtimeConfig: {},
      given: config,
      after: config,
      before: null,
      granted,
      by: { kind: "user", userId: "u" } as never,
    }),
  );
  expect(grants).toHaveLength(paths);
  return counted.grants + counted.rules;
};

it.each([false, true])(
  "A configuration's paths are checked in steps that grow with their number alone (by an admin: %s)",
  async (isAdmin) => {
    const [some, more] = [await operationsOf(200, isAdmin), await operationsOf(2_000, isAdmin)];
    expect(some).toBeGreaterThan(400);
    expect(more).toBe(10 * some);
  },
);
